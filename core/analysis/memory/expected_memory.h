// SPDX-License-Identifier: GPL-3.0-or-later
// What memory a rank should take by theory, beside what was measured: bytes a parameter by number
// format and optimizer, sharding, activations of transformer layers. Every expected figure names its formula;
// what is not known stays empty, never guessed. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class TrainingPrecision : std::uint8_t {
  Unknown,
  Fp32,     // also autocast, which keeps parameters in 32 bits
  Bf16,     // parameters, gradients and optimizer state in 16 bits
  Mixed,    // 16 bits, with master weights and optimizer state in 32 bits
  Megatron, // the same with gradients accumulated in 32 bits
};

// "fp32", "amp" (as fp32), "bf16", "fp16" (as bf16), "mixed", "megatron".
[[nodiscard]] std::optional<TrainingPrecision> precisionNamed(std::string_view name);
inline constexpr std::array<std::string_view, 6> kPrecisionNames{"fp32", "amp",   "bf16",
                                                                 "fp16", "mixed", "megatron"};

// Names of torch.optim and others in any case: "adam", "AdamW", "sgd", "momentum", "adam8bit", ...
// Empty: unknown.
[[nodiscard]] std::optional<std::string> optimizerNamed(std::string_view name);
inline constexpr std::array<std::string_view, 9> kOptimizerNames{
    "sgd", "momentum", "adam", "adamw", "amsgrad", "adam8bit", "lion", "muon", "adafactor"};

// What the user says.
struct MemorySettings {
  std::optional<double> batch; // sequences of a rank and micro-batch
  std::string precision;       // of kPrecisionNames; empty: fp32
  std::string optimizer;       // of kOptimizerNames; empty: as recorded

  bool operator==(const MemorySettings&) const = default;
};

// The model, as far as it is known. Sizes of the whole model.
struct ModelShape {
  std::optional<double> parameters;
  std::optional<double> layers;
  std::optional<double> hidden;
  std::optional<double> sequence;
  std::optional<double> heads;
  std::optional<double> vocabulary;
};

// What was measured on one device of a rank; empty: not known from the recording.
struct MeasuredMemory {
  std::optional<std::int64_t> weights;
  std::optional<std::int64_t> gradients; // with the buckets of DDP
  std::int64_t bucketCopies = 0;         // of DDP, within gradients
  std::optional<std::int64_t> optimizer;
  std::optional<std::int64_t> activations; // largest at once
  std::optional<std::int64_t> other;
  bool weightsAreEstimate = false; // derived from what was allocated before the recording
  bool optimizerIsEstimate = false;
  bool gradientsBefore = false; // gradients are in what was allocated before
  std::string optimizerName;    // as recorded
  bool ddp = false;
  bool trains = true;          // else inference, which keeps no gradients, and no activations for them
  bool fusedAttention = false; // FlashAttention or the like is in use
  std::int64_t peak = 0;       // of all together; 0 if not known
  int shards = 1;              // ranks over which FSDP or ZeRO 3 divides
  int tensorParallel = 1;      // ranks that share each layer
  int pipelineParallel = 1;    // ranks that have different layers
};

struct ExpectedItem {
  std::string_view item; // weights, gradients, optimizer, activations, logits, other
  std::optional<std::int64_t> measured;
  std::optional<std::int64_t> expected;
  std::string formula; // "4 × 7 000 000 000 parameters"; empty if not expected
  std::string note;    // why measured and expected part, or what is missing
  std::string options; // of the command line, that say what is missing

  // "Needs sequence, vocabulary and batch: --seq, --vocab, --batch"
  [[nodiscard]] std::string noteWithOptions() const { return options.empty() ? note : note + ": " + options; }
  [[nodiscard]] std::optional<double> ratio() const {
    if (!measured || !expected || *expected <= 0) return std::nullopt;
    return static_cast<double>(*measured) / static_cast<double>(*expected);
  }
};

struct ExpectedMemory {
  std::vector<ExpectedItem> items;  // in the order above
  std::optional<double> parameters; // of this rank's share
  std::string parametersFrom;       // given, gradients, optimizer state
  std::string advice; // how to reduce the largest measured item of a training; empty if none is large
  TrainingPrecision precision = TrainingPrecision::Fp32;
  std::string optimizer;

  // Whether an item parts from its expectation: static ones outside of 0.9 to 1.15, activations outside of
  // 0.5 to 1.5.
  [[nodiscard]] static bool parts(const ExpectedItem& item);
};

[[nodiscard]] ExpectedMemory expectedMemory(const MeasuredMemory& measured, const ModelShape& model,
                                            const MemorySettings& settings);

// Bytes of ZeRO per rank for mixed precision with Adam: stage 0 to 3 of `ranks` data-parallel ranks.
[[nodiscard]] double zeroBytes(double parameters, int stage, int ranks);

// Activations of one transformer layer in bytes at 16 bits: sequence × batch × hidden × (34 +
// 5·heads·sequence / hidden), divided by tensor parallelism; without the last term for fused attention.
[[nodiscard]] double activationBytes(double sequence, double batch, double hidden, double heads,
                                     int tensorParallel, bool sequenceParallel, bool fusedAttention);

} // namespace rankscope
