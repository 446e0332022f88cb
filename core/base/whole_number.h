// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of a double to a 64-bit integer. The language leaves undefined what happens to one that does not
// fit; here it is the farthest that ExactSum shows, and 0 when it is no number at all.
#pragma once

#include "core/base/exact_sum.h"

#include <cmath>
#include <cstdint>

namespace rankscope {

// Without its fraction.
[[nodiscard]] inline std::int64_t truncated(double value) {
  constexpr auto kMax = static_cast<double>(ExactSum::kMax);
  if (std::isnan(value)) return 0;
  if (value >= kMax) return ExactSum::kMax;
  return value <= -kMax ? -ExactSum::kMax : static_cast<std::int64_t>(value);
}

// The nearest one, halves away from zero.
[[nodiscard]] inline std::int64_t rounded(double value) {
  return truncated(std::round(value));
}

} // namespace rankscope
