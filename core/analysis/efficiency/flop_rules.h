// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators have a formula, and where their arguments stand. Constant data.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

// Whether an operator's work is counted, by its name. Operators nest: of counted ones inside each other the
// outermost counts; a composite one only where nothing inside it does.
enum class FlopRole : std::uint8_t { None, Counted, Composite };

[[nodiscard]] FlopRole flopRoleOf(std::string_view name);

// A node of autograd that was called with the gradient of a convolution's result.
[[nodiscard]] bool isConvolutionNode(std::string_view name);

enum class FlopFormula : std::uint8_t {
  Mm,           // (m,k)(k,n) at `first` and the next
  Bmm,          // the same with a batch in front
  ScaledMm,     // Mm of 8-bit formats
  Linear,       // x(..., k), w(n,k)
  Matmul,       // broadcast
  PackedMm,     // (m,k) and a packed matrix of int8 or int4
  GroupedMm,    // (M,k)(G,k,n)
  Vector,       // a matrix and a vector, or two vectors
  Convolution,  // x, w, and the lists where `lists` says
  ConvBackward, // aten::convolution_backward
  ConvInput,    // cuDNN's and MIOpen's of before PyTorch 1.11, by the operator around them
  ConvWeight,
  Attention,         // q, k, v from `first` on, heads at 1
  AttentionBackward, // the same behind the gradient
  ServingAttention,  // q (T, heads, d), k, v of all sequences; lengths are in the label of the iteration
  Recurrent,         // cuDNN's RNN, `first`: place of its mode
  EngineGemm,        // TransformerEngine's te_gemm
  EngineLinear,      // TransformerEngine's modules: the input and a weight anywhere
  Triton,            // what the compiler noted, or a template of a product
};

// Where a convolution has its lists.
enum class ConvLists : std::uint8_t { Aten, Plain, Transposed, PaddingFirst, PaddingAfterBias };

struct FlopRule {
  std::string_view name;
  FlopRole role = FlopRole::Counted;
  FlopFormula formula = FlopFormula::Mm;
  std::uint8_t first = 0; // place of the first matrix
  ConvLists lists = ConvLists::Aten;
  std::int8_t causal = -1; // place of is_causal; -1 none
  bool headsLast = false;  // attention of (B, s, H, d)
  bool alignedAtEnd = false;
  bool maskType = false; // causal is a number: 1 from the first key on, 2 to the last
};

// Null for a name without one.
[[nodiscard]] const FlopRule* flopRuleOf(std::string_view name);

} // namespace rankscope
