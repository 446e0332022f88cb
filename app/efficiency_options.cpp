// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/efficiency_options.h"

#include <limits>
#include <string>
#include <vector>

namespace rankscope {

void addEfficiencyOptions(CLI::App& command, EfficiencySettings& settings) {
  const CLI::Range positive(std::numeric_limits<double>::min(), 1e30);
  const auto number = [&](const std::string& name, std::optional<double>& value, const std::string& text) {
    command.add_option(name, value, text)->check(positive);
  };
  number("--peak-tflops", settings.peaks.tflops, "peak of the device in TFLOP/s, instead of the nominal one");
  number("--peak-gb-s", settings.peaks.gigabytes, "peak of the device's memory in GB/s");
  ModelSettings& model = settings.model;
  number("--model-params", model.parameters,
         "parameters of the model, for MFU by 6 FLOPs per parameter and token");
  number("--active-params", model.activeParameters, "parameters that a token passes (mixture of experts)");
  number("--tokens-per-step", model.tokensPerStep, "tokens of a step, of the whole job");
  number("--layers", model.layers, "layers; with --hidden and --seq attention counts as well");
  number("--hidden", model.hidden, "hidden size: heads times head dimension");
  number("--seq", model.sequence, "sequence length");
  number("--heads", model.heads, "attention heads");
  number("--vocab", model.vocabulary, "vocabulary; with --hidden the input embedding does not count");
  number("--flops-per-token", model.flopsPerToken, "FLOPs per token, instead of a formula");
  number("--batch", settings.memory.batch, "sequences of a micro-batch on a rank, for memory_expected");
  command
      .add_option(
          "--precision", settings.memory.precision,
          "number formats of training, for memory_expected: fp32, amp, bf16, fp16, mixed (16 bits with "
          "master weights) or megatron (mixed, gradients in 32 bits)")
      ->check(CLI::IsMember(std::vector<std::string>(kPrecisionNames.begin(), kPrecisionNames.end())));
  command
      .add_option(
          "--optimizer", settings.memory.optimizer,
          "optimizer, instead of the recorded one, for memory_expected: sgd, momentum, adam, adamw, amsgrad, "
          "adam8bit, lion, muon or adafactor")
      ->check(CLI::IsMember(std::vector<std::string>(kOptimizerNames.begin(), kOptimizerNames.end())));
  command.add_option("--gpus", model.gpus, "GPUs of the job, if not all were recorded")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  command.add_flag("--causal", model.causal, "count attention by the pairs that a causal mask leaves");
}

} // namespace rankscope
