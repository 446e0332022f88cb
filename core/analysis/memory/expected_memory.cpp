// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/expected_memory.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMostBytes = 4.0e18;
constexpr double kWorthAdvice = 0.05; // of the peak

// Bytes per parameter.
struct Widths {
  double weights = 4;
  double gradients = 4;
  double optimizer = 8;
};

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

// Values that the optimizer keeps per parameter.
double statesOf(std::string_view optimizer) {
  if (optimizer == "sgd" || optimizer == "adafactor") return 0;
  if (optimizer == "momentum" || optimizer == "lion" || optimizer == "muon") return 1;
  return optimizer == "amsgrad" ? 3 : 2;
}

Widths widthsOf(TrainingPrecision precision, std::string_view optimizer) {
  const double states = statesOf(optimizer);
  Widths widths;
  switch (precision) {
  case TrainingPrecision::Unknown:
  case TrainingPrecision::Fp32:
    widths = {4, 4, 4 * states};
    break;
  case TrainingPrecision::Bf16:
    widths = {2, 2, 2 * states};
    break;
  case TrainingPrecision::Mixed:
    widths = {2, 2, 4 + 4 * states};
    break;
  case TrainingPrecision::Megatron:
    widths = {2, 4, 4 + 4 * states};
    break;
  }
  if (optimizer == "adam8bit")
    widths.optimizer = 2 + 8.0 / 256 + (precision >= TrainingPrecision::Mixed ? 4 : 0);
  return widths;
}

std::optional<std::int64_t> bytes(double value) {
  if (!(value >= 0 && value < kMostBytes)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(value));
}

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

// Over how many ranks the whole model is divided.
double divisorOf(const MeasuredMemory& measured) {
  return static_cast<double>(std::max(1, measured.shards)) * std::max(1, measured.tensorParallel) *
         std::max(1, measured.pipelineParallel);
}

// " / 8 ranks", or " / (2 tp × 4 pp)"; empty for a model that is whole on each rank.
std::string shareText(const MeasuredMemory& measured) {
  if (measured.tensorParallel <= 1 && measured.pipelineParallel <= 1)
    return measured.shards > 1 ? fmt::format(" / {} ranks", measured.shards) : std::string();
  std::vector<std::string> parts;
  if (measured.tensorParallel > 1) parts.push_back(fmt::format("{} tp", measured.tensorParallel));
  if (measured.pipelineParallel > 1) parts.push_back(fmt::format("{} pp", measured.pipelineParallel));
  if (measured.shards > 1) parts.push_back(fmt::format("{} shards", measured.shards));
  if (parts.size() == 1) return " / " + parts.front();
  return fmt::format(" / ({})", fmt::join(parts, " × "));
}

// What makes an item smaller.
std::string_view adviceFor(std::string_view item, const MeasuredMemory& measured) {
  if (item == "weights") return "FSDP (ZeRO-3) divides them over ranks; bf16 halves them.";
  if (item == "gradients" && measured.ddp)
    return "gradient_as_bucket_view=True of DDP saves a copy, zero_grad(set_to_none=True) frees them "
           "between steps, ZeRO-2 or FSDP divides them.";
  if (item == "gradients")
    return "zero_grad(set_to_none=True) frees them between steps, ZeRO-2 or FSDP divides them.";
  if (item == "optimizer")
    return "ZeRO-1 (ZeroRedundancyOptimizer) or FSDP divides it over ranks; an 8-bit optimizer keeps a "
           "quarter.";
  if (item == "activations" && measured.fusedAttention)
    return "Activation checkpointing, a smaller microbatch, or sequence parallelism.";
  if (item == "activations")
    return "Activation checkpointing, FlashAttention, a smaller microbatch, or sequence parallelism.";
  return {};
}

class Expectation {
 public:
  Expectation(const MeasuredMemory& measured, const ModelShape& model, const MemorySettings& settings)
      : m_measured(measured), m_model(model), m_settings(settings) {
    m_result.precision = settings.precision.empty()
                             ? TrainingPrecision::Fp32
                             : precisionNamed(settings.precision).value_or(TrainingPrecision::Fp32);
    const std::string& name = settings.optimizer.empty() ? measured.optimizerName : settings.optimizer;
    m_result.optimizer = optimizerNamed(name).value_or(std::string());
    // A recorded SGD does not say whether it has momentum; its state does.
    if (settings.optimizer.empty() && m_result.optimizer == "sgd" && measured.optimizer.value_or(0) > 0)
      m_result.optimizer = "momentum";
    m_widths = widthsOf(m_result.precision, m_result.optimizer);
    // Autocast keeps parameters in 32 bits, and most activations in 16.
    m_wideActivations = m_result.precision == TrainingPrecision::Fp32 && settings.precision != "amp";
    findParameters();
  }

  ExpectedMemory run() {
    addStatic("weights", m_measured.weights, m_widths.weights, weightsNote());
    if (m_measured.trains) {
      addStatic("gradients", m_measured.gradients, m_widths.gradients, gradientsNote());
      addStatic("optimizer", m_measured.optimizer, m_widths.optimizer, optimizerNote());
      addActivations();
      addLogits();
    } else {
      // The formulas are of what a backward pass needs.
      add({"activations", m_measured.activations, std::nullopt, {}, "Inference keeps none for later.", {}});
    }
    add({"other", m_measured.other, std::nullopt, {}, {}, {}});
    if (m_measured.trains) advise();
    return std::move(m_result);
  }

 private:
  void add(ExpectedItem item) { m_result.items.push_back(std::move(item)); }

  // Measured, or estimated from what was measured.
  [[nodiscard]] std::int64_t sizeOf(const ExpectedItem& item) const {
    std::optional<std::int64_t> estimate;
    if (isEstimate(item.item)) estimate = item.item == "weights" ? m_measured.weights : m_measured.optimizer;
    return item.measured.value_or(estimate.value_or(0));
  }

  void advise() {
    const ExpectedItem* largest = nullptr;
    for (const ExpectedItem& item : m_result.items) {
      if (sizeOf(item) <= 0 || adviceFor(item.item, m_measured).empty()) continue;
      if (largest == nullptr || sizeOf(item) > sizeOf(*largest)) largest = &item;
    }
    if (largest == nullptr) return;
    if (static_cast<double>(sizeOf(*largest)) < kWorthAdvice * static_cast<double>(m_measured.peak)) return;
    m_result.advice = fmt::format(
        "Largest{}: {}, {}{}. {}", m_measured.other.value_or(0) > sizeOf(*largest) ? " besides other" : "",
        largest->item == "optimizer" ? "optimizer state" : largest->item, bytesText(sizeOf(*largest)),
        isEstimate(largest->item) ? " (estimate)" : "", adviceFor(largest->item, m_measured));
  }

  // Of this rank's share.
  void findParameters() {
    if (m_model.parameters) {
      m_result.parameters = *m_model.parameters / divisorOf(m_measured);
      m_result.parametersFrom = "given";
    } else if (m_measured.gradients.value_or(0) > 0) {
      m_result.parameters =
          static_cast<double>(*m_measured.gradients - m_measured.bucketCopies) / m_widths.gradients;
      m_result.parametersFrom = "gradients";
    } else if (m_measured.optimizer.value_or(0) > 0 && m_widths.optimizer > 0) {
      m_result.parameters = static_cast<double>(*m_measured.optimizer) / m_widths.optimizer;
      m_result.parametersFrom = "optimizer state";
    }
  }

  [[nodiscard]] std::string countText(std::string_view item) const {
    if (m_result.parametersFrom != "given")
      return fmt::format("{} parameters (from {})", grouped(*m_result.parameters), m_result.parametersFrom);
    // FSDP was recorded, not how much of the model it divides.
    const std::string_view stage = m_measured.shards <= 1 ? ""
                                   : item == "weights"    ? ", if ZeRO-3 (FULL_SHARD)"
                                                          : ", if ZeRO-2 or 3";
    return fmt::format("{} parameters{}{}", grouped(*m_model.parameters), shareText(m_measured), stage);
  }

  void addStatic(std::string_view name, std::optional<std::int64_t> measured, double width,
                 std::string note) {
    ExpectedItem item{name, measured, std::nullopt, {}, std::move(note), {}};
    const bool known = m_result.parameters && (name != "optimizer" || !m_result.optimizer.empty());
    // What the count was taken from is no expectation of itself, nor of what was estimated from it.
    const bool itself =
        (name == "gradients" && m_result.parametersFrom == "gradients" && m_measured.bucketCopies == 0) ||
        (name == "optimizer" && m_result.parametersFrom == "optimizer state");
    if (m_result.parametersFrom == "gradients" && isEstimate(name)) {
      item.measured.reset();
      item.note = "Not measured: allocated before the recording. Expected from the gradients: of trainable "
                  "parameters.";
    }
    if (known && !itself) {
      item.expected = bytes(width * *m_result.parameters);
      item.formula = fmt::format("{:g} bytes × {}", width, countText(name));
      // Adafactor keeps a value for each row and column.
      if (name == "optimizer" && m_result.optimizer == "adafactor")
        item.formula += " + 4 bytes × rows and columns of its matrices, near 0";
    } else if (itself) {
      item.note = "The number of parameters is derived from this.";
    } else if (item.note.empty()) {
      item.note =
          m_result.parameters ? "The optimizer is not known" : "The number of parameters is not known";
      item.options = m_result.parameters ? "--optimizer" : "--model-params";
    }
    if (item.note.empty() && item.expected == 0 && item.measured.value_or(0) > 0)
      item.note = "None is expected: another optimizer, or momentum.";
    if (item.note.empty() && !m_measured.trains && !measured)
      item.note = "Within other: allocated before the recording.";
    if (item.note.empty()) item.note = partNote(name, item.ratio());
    add(std::move(item));
  }

  // The usual reason where a ratio is far from 1.
  [[nodiscard]] std::string partNote(std::string_view name, std::optional<double> ratio) const {
    if (!ratio || (*ratio >= 0.9 && *ratio <= 1.15)) return {};
    const auto near = [&](double value) { return std::abs(*ratio - value) < 0.12 * value; };
    if (name == "gradients" && m_measured.ddp && near(2))
      return "Twice: the gradient buckets of DDP (gradient_as_bucket_view=False).";
    if (name == "optimizer" && near(1.5)) return "Half more: master weights, or amsgrad.";
    if (name == "weights" && near(1.5))
      return "Half more: the weight cache of autocast, or an average of the weights.";
    if (name == "weights" && m_measured.shards > 1 && near(m_measured.shards))
      return "Whole on each rank: as SHARD_GRAD_OP (ZeRO-2) keeps them.";
    if (*ratio < 0.9) return "Less than expected: sharded, offloaded, or in a narrower number format.";
    return "More than expected: another copy, or a wider number format.";
  }

  [[nodiscard]] bool isEstimate(std::string_view name) const {
    return (name == "weights" && m_measured.weightsAreEstimate) ||
           (name == "optimizer" && m_measured.optimizerIsEstimate);
  }

  [[nodiscard]] std::string weightsNote() const {
    return m_measured.weightsAreEstimate && m_measured.weights ? "Estimate: as large as the gradients."
                                                               : std::string();
  }
  [[nodiscard]] std::string gradientsNote() const {
    return m_measured.gradientsBefore ? "Gradients are in what was allocated before the recording."
                                      : std::string();
  }
  [[nodiscard]] std::string optimizerNote() const {
    if (m_measured.optimizerIsEstimate && m_measured.optimizer)
      return "Estimate, by the name of the optimizer.";
    return {};
  }

  void addActivations() {
    ExpectedItem item{"activations", m_measured.activations, std::nullopt, {}, {}, {}};
    const bool known = m_model.layers && m_model.hidden && m_model.sequence && m_settings.batch;
    if (known) {
      const double layers = *m_model.layers / std::max(1, m_measured.pipelineParallel);
      item.expected = bytes(layerBytes(false) * layers);
      item.formula = fmt::format("{:g} layers × s·b·h·{}{}", layers, layerFormula(),
                                 m_wideActivations ? " in 32 bits" : "");
      item.note = activationsNote(item.ratio(), layers);
    } else {
      item.note = "Needs layers, hidden size, sequence and batch";
      item.options = "--layers, --hidden, --seq, --batch";
    }
    add(std::move(item));
  }

  // Activations of one layer. In 32 bits all but the masks of dropout are twice as large: these are 2 of 34
  // bytes, and 1 of the 5 of attention.
  [[nodiscard]] double layerBytes(bool sequenceParallel) const {
    const double heads = m_model.heads.value_or(0);
    const double layer = activationBytes(*m_model.sequence, *m_settings.batch, *m_model.hidden, heads,
                                         m_measured.tensorParallel, sequenceParallel, !m_model.heads);
    if (!m_wideActivations) return layer;
    const double t = std::max(1, m_measured.tensorParallel);
    const double scores = m_model.heads ? heads * *m_model.sequence / *m_model.hidden / t : 0;
    const double masks = (sequenceParallel ? 2 / t : 2) + scores;
    return 2 * layer - *m_model.sequence * *m_settings.batch * *m_model.hidden * masks;
  }

  // What other ways to train take, and what the formula is valid for.
  [[nodiscard]] std::string activationsNote(std::optional<double> ratio, double layers) const {
    std::string note;
    if (ratio && *ratio < 0.5) note = "Less than half: recomputation, or another kind of block. ";
    if (ratio && *ratio > 1.5) note = "Much more: no recomputation, unfused attention, or logits. ";
    const double tokens = *m_model.sequence * *m_settings.batch * *m_model.hidden;
    const int width = m_wideActivations ? 4 : 2;
    if (const auto kept = bytes(width * tokens * layers))
      note +=
          fmt::format("Full recomputation would keep {}·s·b·h a layer, {} in all", width, bytesText(*kept));
    const int t = m_measured.tensorParallel;
    const auto parallel = bytes(layerBytes(true) * layers);
    if (t > 1 && parallel)
      note += fmt::format("{}sequence parallelism {}", note.empty() ? "" : ", ", bytesText(*parallel));
    if (!note.empty() && !note.ends_with(' ')) note += ". ";
    note += "Valid for GPT blocks with dropout, GELU and an MLP of 4h; others within 20 %.";
    return note;
  }

  // Of one layer, without s·b·h.
  [[nodiscard]] std::string layerFormula() const {
    const int t = std::max(1, m_measured.tensorParallel);
    const int all = m_wideActivations ? 66 : 34;
    const int divided = m_wideActivations ? 48 : 24;
    const int scores = m_wideActivations ? 9 : 5;
    if (t == 1) return m_model.heads ? fmt::format("({} + {}·a·s/h)", all, scores) : std::to_string(all);
    return m_model.heads ? fmt::format("({0} + {1}/{3} + {2}·a·s/({3}·h))", all - divided, divided, scores, t)
                         : fmt::format("({} + {}/{})", all - divided, divided, t);
  }

  void addLogits() {
    ExpectedItem item{"logits", std::nullopt, std::nullopt, {}, {}, {}};
    if (m_model.sequence && m_model.vocabulary && m_settings.batch) {
      const double perLogit = m_wideActivations ? 4 + 4 + 4 : 2 + 4 + 4;
      item.expected = bytes(*m_model.sequence * *m_settings.batch * *m_model.vocabulary * perLogit);
      item.formula = fmt::format("s·b·V × {:g} bytes", perLogit);
      item.note = "Part of activations while the loss is computed.";
    } else {
      item.note = "Needs sequence, vocabulary and batch";
      item.options = "--seq, --vocab, --batch";
    }
    add(std::move(item));
  }

  const MeasuredMemory& m_measured;
  const ModelShape& m_model;
  const MemorySettings& m_settings;
  Widths m_widths;
  bool m_wideActivations = false; // in 32 bits
  ExpectedMemory m_result;
};

} // namespace

std::optional<TrainingPrecision> precisionNamed(std::string_view name) {
  if (name == "fp32" || name == "amp") return TrainingPrecision::Fp32;
  if (name == "bf16" || name == "fp16") return TrainingPrecision::Bf16;
  if (name == "mixed") return TrainingPrecision::Mixed;
  if (name == "megatron") return TrainingPrecision::Megatron;
  return std::nullopt;
}

std::optional<std::string> optimizerNamed(std::string_view name) {
  std::string lower = lowered(name);
  if (std::ranges::find(kOptimizerNames, lower) != kOptimizerNames.end()) return lower;
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  const bool isAdam = has("adam") || has("lamb");
  if (has("8bit") || has("fp8")) return isAdam ? std::optional<std::string>("adam8bit") : std::nullopt;
  // Fewer bits, one value for many parameters, low rank, or memory of the host: no width is known.
  if (has("4bit") || has("mini") || has("galore") || has("cpuadam")) return std::nullopt;
  if (isAdam) return "adam";
  if (has("adafactor")) return "adafactor";
  if (has("muon")) return "muon";
  if (has("lion")) return "lion";
  if (has("sgd")) return "sgd";
  return std::nullopt;
}

bool ExpectedMemory::parts(const ExpectedItem& item) {
  const auto ratio = item.ratio();
  if (!ratio) return false;
  if (item.item == "activations") return *ratio < 0.5 || *ratio > 1.5;
  return *ratio < 0.9 || *ratio > 1.15;
}

ExpectedMemory expectedMemory(const MeasuredMemory& measured, const ModelShape& model,
                              const MemorySettings& settings) {
  return Expectation(measured, model, settings).run();
}

double zeroBytes(double parameters, int stage, int ranks) {
  const double n = std::max(1, ranks);
  switch (stage) {
  case 1:
    return 4 * parameters + 12 * parameters / n;
  case 2:
    return 2 * parameters + 14 * parameters / n;
  case 3:
    return 16 * parameters / n;
  default:
    return 16 * parameters;
  }
}

double activationBytes(double sequence, double batch, double hidden, double heads, int tensorParallel,
                       bool sequenceParallel, bool fusedAttention) {
  const double t = std::max(1, tensorParallel);
  const double attention = fusedAttention || !(hidden > 0) ? 0 : 5 * heads * sequence / hidden;
  const double tokens = sequence * batch * hidden;
  if (sequenceParallel) return tokens / t * (34 + attention);
  return tokens * (10 + 24 / t + attention / t);
}

} // namespace rankscope
