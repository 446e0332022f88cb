// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/model_sizes.h"

#include <QFrame>
#include <QLabel>
#include <QStringList>
#include <QVBoxLayout>

#include <span>
#include <string_view>

namespace rankscope::ui {

namespace {

// The first stands for none.
template <class Names> QStringList choicesOf(const QString& none, const Names& names) {
  QStringList choices{none};
  for (const std::string_view name : names)
    choices << QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
  return choices;
}

} // namespace

ModelSizes::ModelSizes(QSettings& settings, QWidget* parent) : JobFields(settings, parent) {
  addNumber("model-params", tr("Parameters"), tr("Of the whole model: 7B, 7e9. Empty: from the gradients"));
  addChoice("precision", tr("Precision"),
            tr("amp: autocast with weights in 32 bits. bf16, fp16: weights, gradients and optimizer state in "
               "16 bits. mixed: 16 bits with master weights in 32 bits. megatron: the same with gradients in "
               "32 bits"),
            choicesOf(tr("fp32 (default)"), std::span(kPrecisionNames).subspan(1)));
  addChoice("optimizer", tr("Optimizer"), tr("Values that it keeps per parameter"),
            choicesOf(tr("as recorded"), kOptimizerNames));
  addNumber("batch", tr("Batch"), tr("Sequences of a rank in one microbatch"));
  addNumber("layers", tr("Layers"), tr("Transformer blocks of the whole model"));
  addNumber("hidden", tr("Hidden size"), tr("Heads times head dimension"));
  addNumber("seq", tr("Sequence"), tr("Tokens of a sequence"));
  addNumber("heads", tr("Heads"), tr("Empty: fused attention, which keeps no scores"));
  addNumber("vocab", tr("Vocabulary"), tr("Gives the size of the logits"));
  addFoundButton(tr("Fill empty fields with what the recording says of the model"));
}

void ModelSizes::setGuesses(const ModelGuesses& guesses) {
  const QString precision = QString::fromStdString(guesses.precision);
  setFound({foundValue("model-params", guesses.parameters),
            {"precision", precision, QString::fromStdString(guesses.precisionFrom)},
            foundValue("batch", guesses.batch),
            foundValue("hidden", guesses.hidden),
            foundValue("seq", guesses.sequence),
            foundValue("vocab", guesses.vocabulary)});
  choiceField(QStringLiteral("precision"))
      ->setItemText(0, precision.isEmpty() || precision == QLatin1String("fp32")
                           ? tr("fp32 (default)")
                           : tr("fp32 (found: %1)").arg(precision));
}

QWidget* ModelSizes::card() {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  auto* title = new QLabel(tr("Model"));
  title->setObjectName(QStringLiteral("cardTitle"));
  title->setToolTip(
      tr("Expected memory follows from these. What is empty is taken from the recording, where it "
         "tells. On the command line: --model-params, --precision, --optimizer, --batch, ..."));
  column->addWidget(title);
  column->addWidget(this);
  return card;
}

EfficiencySettings ModelSizes::values() const {
  EfficiencySettings values;
  values.model.parameters = number("model-params");
  values.model.layers = number("layers");
  values.model.hidden = number("hidden");
  values.model.sequence = number("seq");
  values.model.heads = number("heads");
  values.model.vocabulary = number("vocab");
  values.memory.batch = number("batch");
  values.memory.precision = choice("precision");
  values.memory.optimizer = choice("optimizer");
  return values;
}

} // namespace rankscope::ui
