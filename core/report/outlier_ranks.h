// SPDX-License-Identifier: GPL-3.0-or-later
// Outliers among recordings by distance from the median, compared with the standard deviation estimated from
// the median absolute deviation (MAD). O(n log n).
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

// Values whose distance from the median is above five of these deviations and at least minShare of the
// median, largest first.
[[nodiscard]] std::vector<OutlierValue> outlierValues(std::span<const TimeNs> values, double minShare = 0.05);

} // namespace rankscope
