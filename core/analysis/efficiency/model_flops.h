// SPDX-License-Identifier: GPL-3.0-or-later
// The FLOPs of a model per token, by the conventions that people quote: 6 per parameter for training, forward
// and backward, and those of attention. For recordings without shapes, and to compare with published figures.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope {

// What the user says of the model; each may be missing.
struct ModelSettings {
  std::optional<double> parameters;       // of the whole model
  std::optional<double> activeParameters; // that a token passes, of a mixture of experts
  std::optional<double> tokensPerStep;    // of the whole job
  std::optional<double> layers;
  std::optional<double> hidden; // heads times head dimension
  std::optional<double> sequence;
  std::optional<double> heads;
  std::optional<double> vocabulary;
  std::optional<double> flopsPerToken; // instead of a formula
  std::optional<std::int64_t> gpus;    // of the whole job
  bool causal = false;                 // attention counted by the pairs that a causal mask leaves

  bool operator==(const ModelSettings&) const = default;
};

struct ModelFlops {
  double perToken = 0;
  std::string convention; // "6Ψ + 12LHS"
};

// Training: forward and twice as much backward. Inference: forward alone, a third of it.
enum class ModelUse : std::uint8_t { Training, Inference };

// Nothing when no formula has what it needs.
[[nodiscard]] std::optional<ModelFlops> modelFlopsPerToken(const ModelSettings& model,
                                                           ModelUse use = ModelUse::Training);

// Of a step of the whole job; nothing without tokens.
[[nodiscard]] std::optional<double> modelFlopsPerStep(const ModelSettings& model,
                                                      ModelUse use = ModelUse::Training);

} // namespace rankscope
