// SPDX-License-Identifier: GPL-3.0-or-later
// Outliers among recordings: by one value, how far each is from the median of all, in units of
// the median absolute deviation (robust against outliers). O(n log n).
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

struct OutlierValue {
  std::size_t index;
  double excess; // distance from the median as a share of it
};

// Values more than five spreads and at least minShare of the median away from it; the largest deviation
// first.
[[nodiscard]] std::vector<OutlierValue> outlierValues(std::span<const TimeNs> values, double minShare = 0.05);

} // namespace rankscope
