// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/efficiency_options.h"

#include "app/command.h"
#include "app/console.h"

#include <cmath>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// No device is slower, in TFLOP/s.
constexpr double kLeastPeak = 1e-3;

// More than any computation holds.
constexpr double kTooMuch = 1e30;

// Empty for a number above 0.
std::string whyNotPositive(const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || std::isnan(value))
    return "Value " + text + " not in range: it is no number";
  if (value <= 0) return "Value " + text + " not in range: it is not above 0";
  return value <= kTooMuch ? std::string() : "Value " + text + " not in range: it is above 1e30";
}

// memory_expected takes the same sizes of a model, and computes no MFU.
bool asksForMemory(const CLI::App& command) {
  const CLI::Option* const table = command.get_option_no_throw("NAME");
  return table != nullptr && table->count() > 0 && table->results().front() == "memory_expected";
}

} // namespace

std::vector<std::string> optionsWithoutEffect(const ModelSettings& model) {
  std::vector<std::string> lines;
  const auto without = [&](bool given, const char* option, const char* needed) {
    if (given) lines.push_back(std::string(option) + " has no effect on MFU without " + needed);
  };
  const bool counts = model.parameters || model.activeParameters;
  if (model.flopsPerToken) {
    without(!model.tokensPerStep, "--flops-per-token", "--tokens-per-step");
    if (counts)
      lines.push_back(std::string(model.parameters ? "--model-params" : "--active-params") +
                      " has no effect on MFU: --flops-per-token goes before it");
    return lines;
  }
  without(model.parameters && !model.tokensPerStep, "--model-params", "--tokens-per-step");
  without(model.activeParameters && !model.tokensPerStep, "--active-params", "--tokens-per-step");
  without(model.tokensPerStep && !counts, "--tokens-per-step", "--model-params or --flops-per-token");
  without(model.layers && !(model.hidden && model.sequence), "--layers", "--hidden and --seq");
  without(model.layers && model.hidden && model.sequence && !counts, "--layers", "--model-params");
  without(model.causal && !(model.layers && model.hidden && model.sequence), "--causal",
          "--layers, --hidden and --seq");
  without(model.vocabulary && !model.hidden, "--vocab", "--hidden");
  if (model.parameters && model.activeParameters && *model.activeParameters > *model.parameters)
    lines.emplace_back("--active-params is above --model-params: a token passes no more than all of them");
  const double used = model.activeParameters.value_or(model.parameters.value_or(0));
  if (counts && model.vocabulary && model.hidden && *model.vocabulary * *model.hidden >= used)
    lines.emplace_back("the model has no effect on MFU: --vocab times --hidden is not below its parameters");
  return lines;
}

void addEfficiencyOptions(CLI::App& command, EfficiencySettings& settings) {
  const auto number = [&](const std::string& name, std::optional<double>& value, const std::string& text) {
    return command.add_option(name, value, text)->check(&whyNotPositive, "");
  };
  number("--peak-tflops", settings.peaks.tflops, "peak of the device in TFLOP/s, instead of the nominal one")
      ->check(
          [](const std::string& text) {
            double value = 0;
            const bool low = CLI::detail::lexical_cast(text, value) && value < kLeastPeak;
            return low ? "Value " + text + " not in range: below 0.001 TFLOP/s" : std::string();
          },
          "");
  number("--peak-gb-s", settings.peaks.gigabytes, "peak of the device's memory in GB/s");
  ModelSettings& model = settings.model;
  number("--model-params", model.parameters,
         "parameters of the model, for MFU by 6 FLOPs per parameter and token, 2 of inference");
  number("--active-params", model.activeParameters, "parameters that a token passes (mixture of experts)");
  number("--tokens-per-step", model.tokensPerStep, "tokens of a step, of the whole job");
  number("--layers", model.layers, "layers; with --hidden and --seq attention counts as well");
  number("--hidden", model.hidden, "hidden size: heads times head dimension");
  number("--seq", model.sequence, "sequence length");
  number("--heads", model.heads, "attention heads");
  number("--vocab", model.vocabulary, "vocabulary; with --hidden the input embedding does not count");
  number("--flops-per-token", model.flopsPerToken, "FLOPs per token, instead of a formula");
  number("--batch", settings.memory.batch, "sequences of a microbatch on a rank, for memory_expected");
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
      ->check(numberIn(1, 1e8));
  command.add_flag("--causal", model.causal, "count attention by the pairs that a causal mask leaves");
  command.final_callback([&command, &model] {
    if (asksForMemory(command)) return;
    for (const std::string& line : optionsWithoutEffect(model)) printError(line);
  });
}

} // namespace rankscope
