// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/model_box.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/widgets/flow_layout.h"

#include <QCheckBox>
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

QString keyOf(const QString& job, const char* name) {
  QString group = job;
  group.replace(QLatin1Char('/'), QLatin1Char('_'));
  return QStringLiteral("efficiency/%1/%2").arg(group, QLatin1String(name));
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

ModelBox::ModelBox(QSettings& settings, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_causal(new QCheckBox(tr("Causal attention"))),
      m_take(new QPushButton(tr("Use found values"))) {
  auto* row = new FlowLayout(this, 12);
  const auto add = [&](const char* name, const QString& title, const QString& tip) {
    auto* cell = new QWidget;
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* label = new QLabel(title);
    label->setObjectName(QStringLiteral("figureNote"));
    QLineEdit* const edit = addField(name, title, tip);
    label->setBuddy(edit);
    column->addWidget(label);
    column->addWidget(edit);
    row->addWidget(cell);
  };
  add("peak-tflops", tr("Peak TFLOP/s"), tr("Dense peak of the device, instead of the nominal one"));
  add("peak-gb-s", tr("Memory GB/s"), tr("Peak of the device's memory"));
  add("model-params", tr("Parameters"), tr("Of the model: MFU is 6 FLOPs per parameter and token. 7B, 7e9"));
  add("active-params", tr("Active parameters"), tr("That a token passes, of a mixture of experts"));
  add("tokens-per-step", tr("Tokens per step"), tr("Of the whole job"));
  add("layers", tr("Layers"), tr("With hidden size and sequence length attention counts as well"));
  add("hidden", tr("Hidden size"), tr("Heads times head dimension"));
  add("seq", tr("Sequence"), tr("Tokens of a sequence"));
  add("heads", tr("Heads"), tr("Of attention"));
  add("vocab", tr("Vocabulary"), tr("With the hidden size: the input embedding does not count"));
  add("flops-per-token", tr("FLOPs per token"), tr("Of training, instead of a formula"));
  add("gpus", tr("GPUs"), tr("Of the job, if not all were recorded"));
  m_causal->setToolTip(tr("Count attention by the pairs that a causal mask leaves"));
  row->addWidget(m_causal);
  m_take->setToolTip(tr("Fill empty fields of the model with what the recording says of it: MFU is then by "
                        "the model"));
  row->addWidget(m_take);
  connect(m_take, &QPushButton::clicked, this, &ModelBox::fillGuesses);
  connect(m_causal, &QCheckBox::toggled, this, [this] {
    keep();
    emit changed();
  });
}

QLineEdit* ModelBox::addField(const char* name, const QString& title, const QString& tip) {
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
  m_fields.push_back({name, edit, tip, {}});
  return edit;
}

QLineEdit* ModelBox::field(const QString& name) const {
  const auto found =
      std::ranges::find_if(m_fields, [&](const Field& field) { return name == QLatin1String(field.name); });
  return found == m_fields.end() ? nullptr : found->edit;
}

void ModelBox::setJob(const QString& job) {
  if (m_job == job) return;
  m_job = job;
  for (const Field& field : m_fields)
    field.edit->setText(m_settings.value(keyOf(m_job, field.name)).toString());
  const QSignalBlocker quiet(m_causal);
  m_causal->setChecked(m_settings.value(keyOf(m_job, "causal")).toBool());
}

void ModelBox::keep() {
  if (m_job.isEmpty()) return;
  for (const Field& field : m_fields) {
    const QString text = field.edit->text().trimmed();
    if (text.isEmpty())
      m_settings.remove(keyOf(m_job, field.name));
    else
      m_settings.setValue(keyOf(m_job, field.name), text);
  }
  m_settings.setValue(keyOf(m_job, "causal"), m_causal->isChecked());
}

void ModelBox::setGuesses(const RankPeaks& peaks, NumberFormat format, const ModelGuesses& guesses) {
  const auto hint = [&](const char* name, double value) {
    field(QLatin1String(name))
        ->setPlaceholderText(value > 0 ? QString::number(value, 'g', 6) : tr("unknown"));
  };
  const bool given = peaks.from == "given";
  hint("peak-tflops", given ? 0 : peaks.of(format));
  hint("peak-gb-s", peaks.gigabytes);
  bool any = false;
  const auto guess = [&](const char* name, const std::optional<ModelGuess>& of) {
    const auto own = std::ranges::find(m_fields, field(QLatin1String(name)), &Field::edit);
    own->guess =
        of && of->forModel ? QString::fromStdString(groupedText(std::llround(of->value))) : QString();
    own->edit->setPlaceholderText(of ? QString::fromStdString(groupedText(std::llround(of->value)))
                                     : QString());
    own->edit->setToolTip(of ? own->tip + QLatin1Char('\n') +
                                   tr("Found: %1").arg(QString::fromStdString(of->source))
                             : own->tip);
    any = any || !own->guess.isEmpty();
  };
  guess("model-params", guesses.parameters);
  guess("tokens-per-step", guesses.tokensPerStep);
  guess("hidden", guesses.hidden);
  guess("seq", guesses.sequence);
  guess("vocab", guesses.vocabulary);
  guess("gpus", guesses.gpus);
  m_take->setVisible(any);
}

void ModelBox::fillGuesses() {
  for (const Field& field : m_fields)
    if (field.edit->text().trimmed().isEmpty() && !field.guess.isEmpty()) field.edit->setText(field.guess);
  keep();
  emit changed();
}

EfficiencySettings ModelBox::values() const {
  const auto number = [&](const char* name) { return numberInField(field(QLatin1String(name))->text()); };
  EfficiencySettings values;
  values.peaks.tflops = number("peak-tflops");
  values.peaks.gigabytes = number("peak-gb-s");
  values.model.parameters = number("model-params");
  values.model.tokensPerStep = number("tokens-per-step");
  values.model.activeParameters = number("active-params");
  values.model.heads = number("heads");
  values.model.flopsPerToken = number("flops-per-token");
  values.model.layers = number("layers");
  values.model.hidden = number("hidden");
  values.model.sequence = number("seq");
  values.model.vocabulary = number("vocab");
  if (const auto gpus = number("gpus"); gpus && *gpus >= 1 && *gpus <= 1e8)
    values.model.gpus = static_cast<std::int64_t>(*gpus);
  values.model.causal = m_causal->isChecked();
  return values;
}

} // namespace rankscope::ui
