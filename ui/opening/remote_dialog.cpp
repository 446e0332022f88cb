// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/remote_dialog.h"

#include "core/io/remote/remote_name.h"
#include "ui/base/remote_names.h"
#include "ui/base/text_scale.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>

#include <array>
#include <utility>

namespace rankscope::ui {

RemoteDialog::RemoteDialog(const QString& last, QWidget* parent)
    : QDialog(parent), m_address(new QLineEdit(last)), m_note(new QLabel), m_problem(new QLabel) {
  setWindowTitle(tr("Open remote"));
  setObjectName(QStringLiteral("remoteDialog"));
  m_address->setObjectName(QStringLiteral("remoteAddress"));
  m_address->setPlaceholderText(QStringLiteral("s3://bucket/path"));
  m_address->setMinimumWidth(scaledToText(480));
  m_address->setAccessibleName(tr("Address"));
  m_address->selectAll();
  m_problem->setObjectName(QStringLiteral("remoteProblem"));
  m_problem->setTextFormat(Qt::PlainText);
  auto* title = new QLabel(tr("Address"));
  title->setBuddy(m_address);
  m_note->setText(tr("rclone reads the remote with your own credentials. Files are listed first; nothing is "
                     "fetched before you have chosen."));
  m_note->setObjectName(QStringLiteral("caption"));
  // One takes the place of the other, so that nothing moves.
  m_said = new QStackedWidget;
  for (QLabel* line : {m_note, m_problem}) {
    m_said->addWidget(line);
    line->setWordWrap(true);
    line->ensurePolished(); // has the size of its text from then on
    line->setMinimumHeight(2 * line->fontMetrics().lineSpacing());
    line->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  m_list = buttons->addButton(tr("List files"), QDialogButtonBox::AcceptRole);
  m_list->setObjectName(QStringLiteral("primary"));
  m_list->setDefault(true);
  auto* lines = new QVBoxLayout(this);
  lines->setContentsMargins(20, 18, 20, 16);
  lines->setSpacing(10);
  lines->addWidget(title);
  lines->addWidget(m_address);
  lines->addWidget(makeForms());
  lines->addWidget(m_said);
  lines->addStretch();
  lines->addWidget(buttons);
  connect(m_address, &QLineEdit::textChanged, this, &RemoteDialog::check);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  check();
}

QWidget* RemoteDialog::makeForms() const {
  const std::array<std::pair<const char*, QString>, 5> kForms{{
      {"s3://bucket/path", tr("Amazon S3; another S3 store: ?endpoint=URL")},
      {"gs://bucket/path", tr("Google Cloud Storage")},
      {"az://account/container/path", tr("Azure Blob Storage; also abfss:// and https://")},
      {"sftp://user@host/path", tr("a machine, by SSH; also host:/path")},
      {"NAME:path", tr("a remote of your rclone configuration")},
  }};
  auto* box = new QWidget;
  auto* forms = new QGridLayout(box);
  forms->setContentsMargins(0, 0, 0, 0);
  forms->setHorizontalSpacing(18);
  forms->setVerticalSpacing(4);
  forms->setColumnStretch(1, 1);
  int row = 0;
  for (const auto& [form, meaning] : kForms) {
    auto* name = new QLabel(QString::fromLatin1(form));
    name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* text = new QLabel(meaning);
    text->setObjectName(QStringLiteral("caption"));
    forms->addWidget(name, row, 0);
    forms->addWidget(text, row, 1);
    ++row;
  }
  return box;
}

QString RemoteDialog::address() const {
  return m_address->text().trimmed();
}

void RemoteDialog::check() {
  const std::string typed = QFile::encodeName(address()).toStdString();
  QString problem;
  if (!typed.empty() && !looksRemote(typed)) {
    problem = tr("The address has none of these forms");
  } else if (!typed.empty() && !needsConfigured(typed)) {
    if (const auto name = remoteNameOf(typed, {}); !name)
      problem = QString::fromStdString(name.error().message);
  }
  m_problem->setText(problem);
  m_said->setCurrentWidget(problem.isEmpty() ? m_note : m_problem);
  m_list->setEnabled(!typed.empty() && problem.isEmpty());
}

} // namespace rankscope::ui
