// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/editor_dialog.h"

#include "ui/details/source_opener.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QStandardPaths>
#include <QTableWidget>

#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kSpareRules = 3;

} // namespace

EditorDialog::EditorDialog(QSettings& settings, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_editors(new QComboBox), m_command(new QLineEdit),
      m_problem(new QLabel), m_rules(new QTableWidget) {
  setWindowTitle(tr("Source editor"));
  m_editors->setObjectName(QStringLiteral("editors"));
  m_editors->addItem(tr("None (show files in this window)"), QString());
  for (const KnownEditor& editor : knownEditors()) m_editors->addItem(editor.name, editor.command);
  m_editors->addItem(tr("Other …"));
  m_command->setObjectName(QStringLiteral("editorCommand"));
  m_command->setToolTip(tr("%f is replaced by the file, %l by the line. No shell is involved."));
  m_problem->setWordWrap(true);
  const QList<PathRule> rules = pathRules(settings);
  m_rules->setObjectName(QStringLiteral("pathRules"));
  m_rules->setColumnCount(2);
  m_rules->setRowCount(static_cast<int>(rules.size()) + kSpareRules);
  m_rules->setHorizontalHeaderLabels({tr("Path prefix in the recording"), tr("Path prefix on this machine")});
  m_rules->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  m_rules->verticalHeader()->hide();
  for (int row = 0; row < rules.size(); ++row) {
    m_rules->setItem(row, 0, new QTableWidgetItem(rules[row].from));
    m_rules->setItem(row, 1, new QTableWidgetItem(rules[row].to));
  }
  auto* hint = new QLabel(tr("Leave the first field empty for relative paths."));
  hint->setObjectName(QStringLiteral("caption"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  auto* form = new QFormLayout(this);
  form->addRow(tr("Editor"), m_editors);
  form->addRow(tr("Command"), m_command);
  form->addRow(QString(), m_problem);
  form->addRow(tr("Source paths"), m_rules);
  form->addRow(QString(), hint);
  form->addRow(buttons);
  resize(640, 400);
  connect(buttons, &QDialogButtonBox::accepted, this, &EditorDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &EditorDialog::reject);
  connect(m_command, &QLineEdit::textChanged, this, &EditorDialog::showProblem);
  const QString saved = editorTemplate(settings);
  m_command->setText(saved);
  const int known = m_editors->findData(saved);
  m_editors->setCurrentIndex(known >= 0 ? known : m_editors->count() - 1);
  connect(m_editors, &QComboBox::currentIndexChanged, this, &EditorDialog::choose);
  showProblem();
}

void EditorDialog::choose(int index) {
  if (m_editors->itemData(index).isValid()) m_command->setText(m_editors->itemData(index).toString());
}

void EditorDialog::showProblem() {
  const QStringList command = QProcess::splitCommand(m_command->text());
  QString problem;
  if (!command.isEmpty() && QStandardPaths::findExecutable(command.front()).isEmpty())
    problem = tr("Program %1 was not found.").arg(command.front());
  else if (!command.isEmpty() && !m_command->text().contains(QLatin1String("%f")))
    problem = tr("The command does not contain %f.");
  m_problem->setText(problem);
}

void EditorDialog::accept() {
  QList<PathRule> rules;
  for (int row = 0; row < m_rules->rowCount(); ++row) {
    const auto text = [&](int column) {
      const QTableWidgetItem* item = m_rules->item(row, column);
      return item != nullptr ? item->text().trimmed() : QString();
    };
    if (!text(1).isEmpty()) rules.append({text(0), text(1)});
  }
  setEditorTemplate(m_settings, m_command->text());
  setPathRules(m_settings, rules);
  QDialog::accept();
}

} // namespace rankscope::ui
