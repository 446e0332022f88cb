// SPDX-License-Identifier: GPL-3.0-or-later
// Which recordings stand out among many: by one figure, how far each lies from the median of all, measured by
// the median distance (a spread that a few odd ones cannot stretch). O(n log n).
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

struct OddValue {
  std::size_t index;
  double excess; // distance from the median as a share of it
};

// Values more than five spreads and at least leastShare of the median away from it; the farthest first.
[[nodiscard]] std::vector<OddValue> oddValues(std::span<const TimeNs> values, double leastShare = 0.05);

} // namespace rankscope
