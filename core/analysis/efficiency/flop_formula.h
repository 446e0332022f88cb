// SPDX-License-Identifier: GPL-3.0-or-later
// The floating-point operations of one operator call, from what it was called with: a product and a sum are
// two, as torch.utils.flop_counter counts them, and a matrix product of (m,k) and (k,n) has 2·m·k·n. Bytes
// are the least traffic: each tensor read once, the result written once. What cannot be counted is said to be
// so, with the reason, and is never 0. Pure.
#pragma once

#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/efficiency/flop_rules.h"
#include "core/analysis/efficiency/iteration_labels.h"
#include "core/analysis/operators/operator_inputs.h"

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class FlopKind : std::uint8_t {
  Product, // of matrices: has m, n, k
  Vector,  // of a matrix and a vector
  Convolution,
  ConvolutionBackward,
  Attention,
  AttentionBackward,
  Recurrent,
};

[[nodiscard]] constexpr bool isValid(FlopKind value) {
  return value <= FlopKind::Recurrent;
}

// "GEMM", "convolution", "attention", ...: a word for people.
[[nodiscard]] std::string_view flopKindText(FlopKind kind);

// What a figure was made from, surest first.
enum class FlopTier : std::uint8_t {
  Recorded,
  Shapes,
  Linked,
  Annotation, // sums of sequence lengths in the label of a serving engine's iteration
  Capture,    // of a kernel that a CUDA graph launched: the operator that was captured
  Unknown
};

[[nodiscard]] constexpr bool isValid(FlopTier value) {
  return value <= FlopTier::Unknown;
}

// "recorded", "shapes", "linked", "annotation", "capture"; empty of Unknown.
[[nodiscard]] std::string_view flopTierText(FlopTier tier);

struct FlopWork {
  FlopKind kind = FlopKind::Product;
  FlopTier tier = FlopTier::Unknown;
  NumberFormat format = NumberFormat::Unknown; // of the first matrix
  std::int64_t flops = 0;
  std::int64_t executed = 0; // causal attention: of the pairs that are not masked
  std::int64_t bytes = -1;   // -1 not known
  std::int64_t m = 0;        // of products; 0 of anything else
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 0;
  std::string_view why; // why it is not known; constant text

  [[nodiscard]] bool known() const { return tier != FlopTier::Unknown; }
};

// What else a figure may need, where the operator was not recorded with all of it.
struct FlopLinks {
  const TensorShape* result = nullptr;    // of a convolution: the shape of its result's gradient
  const OperatorInputs* parent = nullptr; // of the operator around it
  const IterationLabel* label = nullptr;  // of the iteration of a serving engine that it is in
};

// REQUIRES: flopRoleOf(name) is not None.
[[nodiscard]] FlopWork flopsOf(std::string_view name, const OperatorInputs& inputs,
                               const FlopLinks& links = {});

// Pairs of queries and keys that a causal mask leaves, of s queries and S keys: the first query sees the
// first key (PyTorch), or the last query the last key (FlashAttention since 2.1).
[[nodiscard]] std::int64_t causalPairs(std::int64_t queries, std::int64_t keys, bool alignedAtEnd);

} // namespace rankscope
