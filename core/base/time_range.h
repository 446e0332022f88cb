// SPDX-License-Identifier: GPL-3.0-or-later
// Times are int64 nanoseconds; ranges are half-open. Decimal microseconds of files are converted exactly,
// without a double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace rankscope {

using TimeNs = std::int64_t;

// [begin, end) in nanoseconds. Empty when end <= begin.
struct TimeRange {
  TimeNs begin = 0;
  TimeNs end = 0;

  [[nodiscard]] constexpr TimeNs length() const { return end > begin ? end - begin : 0; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(TimeNs t) const { return begin <= t && t < end; }
  [[nodiscard]] constexpr bool overlaps(TimeRange other) const {
    return begin < other.end && other.begin < end;
  }
  // The intersection; empty if they do not overlap.
  [[nodiscard]] constexpr TimeRange clippedTo(TimeRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  // The smallest range that contains both. Empty ranges are ignored.
  [[nodiscard]] constexpr TimeRange unitedWith(TimeRange other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  constexpr bool operator==(const TimeRange&) const = default;
};

// Times further than 73 years from their epoch are rejected as damage. So an event's time plus its file's
// base time is within kAllTime, and the difference of two such sums fits into 64 bits.
inline constexpr TimeNs kMaxTime = (TimeNs{1} << 61) - 1;

// Half a year. Longer durations are damage. Use ExactSum (exact_sum.h) for sums of durations.
inline constexpr TimeNs kMaxDuration = TimeNs{1} << 54;

// No limit: contains every possible time of a recording, and its length fits into 64 bits.
inline constexpr TimeRange kAllTime{-(TimeNs{1} << 62), (TimeNs{1} << 62) - 1};

// Saturating sum of a clock difference and a time, or of two clock differences. Clocks may differ by any
// amount.
[[nodiscard]] constexpr TimeNs stoppingSum(TimeNs a, TimeNs b) {
  TimeNs sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<TimeNs>::max() : std::numeric_limits<TimeNs>::min();
}
// The time on another clock, clamped to kAllTime.
[[nodiscard]] constexpr TimeNs movedTime(TimeNs time, TimeNs by) {
  return std::clamp(stoppingSum(time, by), kAllTime.begin, kAllTime.end);
}

// Converts decimal microseconds ("12", "-3.25", "1.5e3") to nanoseconds exactly; digits beyond the third
// decimal are truncated. Empty if the text is not a number or the result does not fit into 64 bits.
[[nodiscard]] std::optional<TimeNs> nanosecondsFromMicroseconds(std::string_view text);

} // namespace rankscope
