// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of durations on a logarithmic scale, with percentiles. Every duration is in exactly one bin;
// bounds are ascending whole nanoseconds. Pure functions; O(n).
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

struct DurationBins {
  std::vector<TimeNs> bounds;       // one more than counts; bin i contains [bounds[i], bounds[i + 1])
  std::vector<std::int64_t> counts; // the first and the last are not 0
  std::int64_t calls = 0;
  TimeNs shortest = 0;
  TimeNs longest = 0;
  TimeNs p50 = 0; // the median, as in tables: the mean of the middle two of an even number
  // Percentiles, nearest rank.
  TimeNs p90 = 0;
  TimeNs p99 = 0;

  // The bin of a duration; empty if it is out of range.
  [[nodiscard]] std::optional<std::size_t> binOf(TimeNs duration) const;
};

// At most maximum bins (> 0); fewer for few calls or durations that differ by few nanoseconds. No bins
// without durations. REQUIRES: no duration is negative.
[[nodiscard]] DurationBins durationBins(std::vector<TimeNs> durations, std::size_t maximum = 60);

} // namespace rankscope
