// SPDX-License-Identifier: GPL-3.0-or-later
// How long the calls of one thing took: how many fall between which bounds, on a scale of equal ratios, and
// the percentiles that people ask for. Every duration is in exactly one bin; bounds are whole nanoseconds
// that ascend. Pure functions; O(n).
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

struct DurationBins {
  std::vector<TimeNs> bounds;       // one more than counts; bin i holds [bounds[i], bounds[i + 1])
  std::vector<std::int64_t> counts; // the first and the last are not zero
  std::int64_t calls = 0;
  TimeNs shortest = 0;
  TimeNs longest = 0;
  // The least duration that so many percent of the calls do not exceed.
  TimeNs p50 = 0;
  TimeNs p90 = 0;
  TimeNs p99 = 0;

  // The bin of a duration; nothing outside of all.
  [[nodiscard]] std::optional<std::size_t> binOf(TimeNs duration) const;
};

// At most `most` bins (> 0), fewer for few calls and where durations differ by few nanoseconds. Without
// durations there is no bin. REQUIRES: no duration is negative.
[[nodiscard]] DurationBins durationBins(std::vector<TimeNs> durations, std::size_t maximum = 60);

} // namespace rankscope
