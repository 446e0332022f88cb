// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/model_box.h"

namespace rankscope::ui {

ModelBox::ModelBox(QSettings& settings, QWidget* parent) : JobFields(settings, parent) {
  addNumber("peak-tflops", tr("Peak TFLOP/s"), tr("Dense peak of the device, instead of the nominal one"));
  addNumber("peak-gb-s", tr("Memory GB/s"), tr("Peak of the device's memory"));
  addNumber("model-params", tr("Parameters"),
            tr("Of the model: MFU is 6 FLOPs per parameter and token, 2 without a backward pass. 7B, 7e9"));
  addNumber("active-params", tr("Active parameters"), tr("That a token passes, of a mixture of experts"));
  addNumber("tokens-per-step", tr("Tokens per step"), tr("Of the whole job"));
  addNumber("layers", tr("Layers"), tr("With hidden size and sequence length attention counts as well"));
  addNumber("hidden", tr("Hidden size"), tr("Heads times head dimension"));
  addNumber("seq", tr("Sequence"), tr("Tokens of a sequence"));
  addNumber("heads", tr("Heads"), tr("Of attention"));
  addNumber("vocab", tr("Vocabulary"), tr("With the hidden size: the input embedding does not count"));
  addNumber("flops-per-token", tr("FLOPs per token"), tr("Instead of a formula"));
  addNumber("gpus", tr("GPUs"), tr("Of the job, if not all were recorded"));
  addSwitch("causal", tr("Causal attention"), tr("Count attention by the pairs that a causal mask leaves"));
  addFoundButton(tr("Fill empty fields of the model with what the recording says of it: MFU is then by the "
                    "model"));
}

void ModelBox::setGuesses(const RankPeaks& peaks, NumberFormat format, const ModelGuesses& guesses) {
  const auto hint = [&](const char* name, double value) {
    setHint(name, value > 0 ? QString::number(value, 'g', 6) : tr("unknown"));
  };
  const bool given = peaks.from == "given";
  hint("peak-tflops", given ? 0 : peaks.of(format));
  hint("peak-gb-s", peaks.gigabytes);
  setFound({foundValue("model-params", guesses.parameters),
            foundValue("tokens-per-step", guesses.tokensPerStep), foundValue("hidden", guesses.hidden),
            foundValue("seq", guesses.sequence), foundValue("vocab", guesses.vocabulary),
            foundValue("gpus", guesses.gpus)});
}

EfficiencySettings ModelBox::values() const {
  EfficiencySettings values;
  values.peaks.tflops = number("peak-tflops");
  values.peaks.gigabytes = number("peak-gb-s");
  values.model.parameters = number("model-params");
  values.model.activeParameters = number("active-params");
  values.model.tokensPerStep = number("tokens-per-step");
  values.model.layers = number("layers");
  values.model.hidden = number("hidden");
  values.model.sequence = number("seq");
  values.model.heads = number("heads");
  values.model.vocabulary = number("vocab");
  values.model.flopsPerToken = number("flops-per-token");
  if (const auto gpus = number("gpus"); gpus && *gpus >= 1 && *gpus <= 1e8)
    values.model.gpus = static_cast<std::int64_t>(*gpus);
  values.model.causal = isOn("causal");
  return values;
}

} // namespace rankscope::ui
