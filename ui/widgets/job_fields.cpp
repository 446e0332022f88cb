// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/job_fields.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/widgets/flow_layout.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kFieldWidth = 108;

// The Efficiency tab was the first to keep such values.
QString keyOf(const QString& job, const QString& name) {
  QString group = job;
  group.replace(QLatin1Char('/'), QLatin1Char('_'));
  return QStringLiteral("efficiency/%1/%2").arg(group, name);
}

} // namespace

std::optional<double> numberInField(QString text) {
  text.remove(QLatin1Char(' ')).remove(QChar(0x202f)).remove(QChar(0xa0));
  constexpr std::array<std::pair<char, double>, 4> kUnits{{{'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}}};
  double factor = 1;
  for (const auto& [unit, of] : kUnits) {
    if (!text.endsWith(QLatin1Char(unit), unit == 'k' ? Qt::CaseInsensitive : Qt::CaseSensitive)) continue;
    factor = of;
    text.chop(1);
    break;
  }
  bool known = false;
  const double value = QLocale::c().toDouble(text, &known) * factor;
  if (!known || !std::isfinite(value) || value <= 0 || value > 1e30) return std::nullopt;
  return value;
}

FoundValue foundValue(const char* name, const std::optional<ModelGuess>& guess) {
  if (!guess) return {name, {}, {}};
  return {name, QString::fromStdString(groupedText(std::llround(guess->value))),
          QString::fromStdString(guess->source), guess->forModel};
}

JobFields::JobFields(QSettings& settings, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_row(new FlowLayout(this, 12)) {}

void JobFields::addCell(const QString& title, QWidget* field) {
  auto* cell = new QWidget;
  auto* column = new QVBoxLayout(cell);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* label = new QLabel(title);
  label->setObjectName(QStringLiteral("figureNote"));
  label->setBuddy(field);
  column->addWidget(label);
  column->addWidget(field);
  m_row->addWidget(cell);
}

void JobFields::addNumber(const char* name, const QString& title, const QString& tip) {
  auto* edit = new QLineEdit;
  edit->setObjectName(QLatin1String(name));
  edit->setAccessibleName(title);
  edit->setToolTip(tip);
  edit->setFixedWidth(scaledToText(kFieldWidth));
  connect(edit, &QLineEdit::editingFinished, this, [this, edit] {
    if (!edit->isModified()) return;
    edit->setModified(false);
    // What is no number is not taken.
    if (!edit->text().trimmed().isEmpty() && !numberInField(edit->text())) edit->clear();
    keep();
    emit changed();
  });
  addCell(title, edit);
  m_fields.push_back({.name = QLatin1String(name), .tip = tip, .edit = edit});
}

void JobFields::addChoice(const char* name, const QString& title, const QString& tip,
                          const QStringList& choices) {
  auto* box = new QComboBox;
  box->setObjectName(QLatin1String(name));
  box->setAccessibleName(title);
  box->setToolTip(tip);
  box->addItems(choices);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents); // one may get another text
  connect(box, &QComboBox::activated, this, [this] {
    keep();
    emit changed();
  });
  addCell(title, box);
  m_fields.push_back({.name = QLatin1String(name), .tip = tip, .box = box});
}

void JobFields::addSwitch(const char* name, const QString& title, const QString& tip) {
  auto* check = new QCheckBox(title);
  check->setObjectName(QLatin1String(name));
  check->setToolTip(tip);
  connect(check, &QCheckBox::toggled, this, [this] {
    keep();
    emit changed();
  });
  m_row->addWidget(check);
  m_fields.push_back({.name = QLatin1String(name), .tip = tip, .check = check});
}

void JobFields::addControl(QWidget* control) {
  m_row->addWidget(control);
}

const JobFields::Field* JobFields::fieldNamed(const QString& name) const {
  const auto found = std::ranges::find(m_fields, name, &Field::name);
  return found == m_fields.end() ? nullptr : &*found;
}

QLineEdit* JobFields::field(const QString& name) const {
  const Field* const of = fieldNamed(name);
  return of == nullptr ? nullptr : of->edit;
}

QComboBox* JobFields::choiceField(const QString& name) const {
  const Field* const of = fieldNamed(name);
  return of == nullptr ? nullptr : of->box;
}

// As it is kept; empty for what says nothing.
QString JobFields::textOf(const Field& field) {
  if (field.edit != nullptr) return field.edit->text().trimmed();
  if (field.box != nullptr) return field.box->currentIndex() > 0 ? field.box->currentText() : QString();
  return field.check->isChecked() ? QStringLiteral("true") : QString();
}

bool JobFields::load() {
  bool different = false;
  for (const Field& field : m_fields) {
    QString text = m_settings.value(keyOf(m_job, field.name)).toString();
    if (field.check != nullptr && text != QLatin1String("true")) text.clear();
    if (text == textOf(field)) continue;
    different = true;
    if (field.edit != nullptr) field.edit->setText(text);
    if (field.box != nullptr) field.box->setCurrentIndex(std::max(0, field.box->findText(text)));
    if (field.check == nullptr) continue;
    const QSignalBlocker quiet(field.check);
    field.check->setChecked(text == QLatin1String("true"));
  }
  return different;
}

void JobFields::keep() {
  if (m_job.isEmpty()) return;
  for (const Field& field : m_fields) {
    const QString text = textOf(field);
    if (text.isEmpty())
      m_settings.remove(keyOf(m_job, field.name));
    else
      m_settings.setValue(keyOf(m_job, field.name), text);
  }
}

void JobFields::setJob(const QString& job) {
  if (m_job == job) return;
  m_job = job;
  load();
}

void JobFields::setHint(const char* name, const QString& hint, const QString& source) {
  const Field* const of = fieldNamed(QLatin1String(name));
  if (of == nullptr || of->check != nullptr) return;
  const QString tip = source.isEmpty() ? of->tip : of->tip + QLatin1Char('\n') + source;
  if (of->edit != nullptr) of->edit->setPlaceholderText(hint);
  (of->edit != nullptr ? static_cast<QWidget*>(of->edit) : of->box)->setToolTip(tip);
}

void JobFields::addFoundButton(const QString& tip) {
  m_take = new QPushButton(tr("Use found values"));
  m_take->setToolTip(tip);
  m_take->hide();
  addControl(m_take);
  connect(m_take, &QPushButton::clicked, this, &JobFields::takeFound);
}

void JobFields::setFound(const std::vector<FoundValue>& values) {
  m_found.clear();
  for (const FoundValue& value : values) {
    setHint(value.name, value.text, value.text.isEmpty() ? QString() : tr("Found: %1").arg(value.source));
    if (value.take && !value.text.isEmpty()) m_found.push_back(value);
  }
  m_take->setVisible(!m_found.empty());
}

void JobFields::takeFound() {
  for (const FoundValue& value : m_found) {
    const Field* const of = fieldNamed(QLatin1String(value.name));
    if (of == nullptr || !textOf(*of).isEmpty()) continue;
    if (of->edit != nullptr) of->edit->setText(value.text);
    if (of->box != nullptr) of->box->setCurrentIndex(std::max(0, of->box->findText(value.text)));
  }
  keep();
  emit changed();
}

std::optional<double> JobFields::number(const char* name) const {
  const QLineEdit* const edit = field(QLatin1String(name));
  return edit == nullptr ? std::nullopt : numberInField(edit->text());
}

std::string JobFields::choice(const char* name) const {
  const Field* const of = fieldNamed(QLatin1String(name));
  return of == nullptr ? std::string() : textOf(*of).toStdString();
}

bool JobFields::isOn(const char* name) const {
  const Field* const of = fieldNamed(QLatin1String(name));
  return of != nullptr && of->check != nullptr && of->check->isChecked();
}

// Another tab may have changed the values meanwhile.
void JobFields::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!m_job.isEmpty() && load()) emit changed();
}

} // namespace rankscope::ui
