// SPDX-License-Identifier: GPL-3.0-or-later
// Outliers among recordings: distance of a value from the median, in units of the median absolute deviation.
// O(n log n).
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

struct OutlierValue {
  std::size_t index;
  double excess; // distance from the median, as a share of the median
};

// Values whose distance from the median exceeds five deviations and minShare of the median, largest first.
[[nodiscard]] std::vector<OutlierValue> outlierValues(std::span<const TimeNs> values, double minShare = 0.05);

} // namespace rankscope
