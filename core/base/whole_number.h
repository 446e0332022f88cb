// SPDX-License-Identifier: GPL-3.0-or-later
// Defined conversion of a double to a 64-bit integer: values that do not fit are clamped to ±ExactSum::kMax,
// NaN becomes 0. (The plain C++ conversion is undefined for them.)
#pragma once

#include "core/base/exact_sum.h"

#include <cmath>
#include <cstdint>

namespace rankscope {

// Rounds toward zero.
[[nodiscard]] inline std::int64_t truncated(double value) {
  constexpr auto kMax = static_cast<double>(ExactSum::kMax);
  if (std::isnan(value)) return 0;
  if (value >= kMax) return ExactSum::kMax;
  return value <= -kMax ? -ExactSum::kMax : static_cast<std::int64_t>(value);
}

// Rounds to the nearest integer, halves away from zero.
[[nodiscard]] inline std::int64_t rounded(double value) {
  return truncated(std::round(value));
}

} // namespace rankscope
