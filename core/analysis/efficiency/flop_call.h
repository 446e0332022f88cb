// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a recorded call as formulas for its FLOPs ask for them, and why there may be none. Only
// for those formulas. Pure.
#pragma once

#include "core/analysis/efficiency/exact_product.h"
#include "core/analysis/efficiency/flop_formula.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::flops {

inline constexpr std::string_view kNoShapes = "its shapes were not recorded";
inline constexpr std::string_view kOddShapes = "its shapes are not those of its operation";
inline constexpr std::string_view kNoArguments = "stride and padding were not recorded";
inline constexpr std::string_view kNoLengths = "lengths of sequences are tensors, which are not recorded";
inline constexpr std::string_view kTooLarge = "its shapes are too large";
inline constexpr std::string_view kNoModel = "its work is not known from its arguments";

inline FlopWork unknown(std::string_view why) {
  FlopWork work;
  work.why = why;
  return work;
}

inline bool isComplex(std::string_view type) {
  return type.find("complex") != std::string_view::npos;
}

// The arguments of a call by their places, and what is asked of them.
class Call {
 public:
  explicit Call(const OperatorInputs& inputs) : m_inputs(inputs) {}

  [[nodiscard]] const TensorShape& shape(std::size_t i) const {
    static const TensorShape kNone;
    return i < m_inputs.shapes.size() ? m_inputs.shapes[i] : kNone;
  }
  [[nodiscard]] std::string_view type(std::size_t i) const {
    return i < m_inputs.types.size() ? std::string_view(m_inputs.types[i]) : std::string_view();
  }
  [[nodiscard]] std::string_view value(std::size_t i) const {
    return i < m_inputs.values.size() ? std::string_view(m_inputs.values[i]) : std::string_view();
  }
  [[nodiscard]] bool isTrue(std::size_t i) const { return value(i) == "True" || value(i) == "1"; }
  [[nodiscard]] std::optional<std::vector<std::int64_t>> list(std::size_t i) const {
    if (value(i).empty()) return std::nullopt;
    return integersInText(value(i));
  }
  [[nodiscard]] ExactProduct elements(std::size_t i) const { return productOf(shape(i)); }
  // -1 makes the sum of bytes unknown.
  [[nodiscard]] ExactProduct size(std::size_t i) const { return {bytesOf(type(i))}; }
  [[nodiscard]] ExactProduct bytes(std::size_t i) const { return elements(i) * size(i); }
  [[nodiscard]] bool given(std::size_t i) const { return !shape(i).empty(); }

  static std::int64_t bytesOf(std::string_view type) {
    const int bytes = bytesOfType(type);
    return bytes > 0 ? bytes : -1;
  }

 private:
  const OperatorInputs& m_inputs;
};

// Of complex numbers a product is four products and two sums, a sum two.
inline FlopWork counted(const Call& call, FlopKind kind, std::size_t first, ExactProduct flops,
                        ExactProduct executed, ExactProduct bytes) {
  FlopWork work;
  work.kind = kind;
  work.format = numberFormatOfType(call.type(first));
  const ExactProduct factor(isComplex(call.type(first)) ? 4 : 1);
  const auto all = (flops * factor).value();
  const auto done = (executed * factor).value();
  if (!all || !done) return unknown(kTooLarge);
  work.flops = *all;
  work.executed = *done;
  work.bytes = bytes.value().value_or(-1);
  work.tier = FlopTier::Shapes;
  return work;
}

} // namespace rankscope::flops
