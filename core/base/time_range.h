// SPDX-License-Identifier: GPL-3.0-or-later
// Time as the project keeps it: int64 nanoseconds, and half-open ranges of them.
// No double ever stands between a file's decimal microseconds and these integers.
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
  // The common part; empty when there is none.
  [[nodiscard]] constexpr TimeRange clippedTo(TimeRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  // The smallest range that holds both; an empty range adds nothing.
  [[nodiscard]] constexpr TimeRange unitedWith(TimeRange other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  constexpr bool operator==(const TimeRange&) const = default;
};

// Times beyond 73 years from their epoch are damage. Kept out, the sum of an event's time and its file's base
// lies within kAllTime, and the difference of any two such sums fits into 64 bits.
inline constexpr TimeNs kMaxTime = (TimeNs{1} << 61) - 1;

// Half a year; what claims to last longer is damage. A sum of durations is an ExactSum (exact_sum.h).
inline constexpr TimeNs kMaxDuration = TimeNs{1} << 54;

// No limit: every time that a recording can hold lies in it, and its length still fits.
inline constexpr TimeRange kAllTime{-(TimeNs{1} << 62), (TimeNs{1} << 62) - 1};

// What two clocks differ by added to a time, or to another such difference: clocks may be as far apart as
// times can be. The sum stops at the ends of 64 bits.
[[nodiscard]] constexpr TimeNs stoppingSum(TimeNs a, TimeNs b) {
  TimeNs sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<TimeNs>::max() : std::numeric_limits<TimeNs>::min();
}
// The time on another clock; within kAllTime.
[[nodiscard]] constexpr TimeNs movedTime(TimeNs time, TimeNs by) {
  return std::clamp(stoppingSum(time, by), kAllTime.begin, kAllTime.end);
}

// Decimal microseconds ("12", "-3.25", "1.5e3") as exact nanoseconds; digits beyond the third decimal are cut
// towards zero. Nothing when the text is not a number or the result does not fit into 64 bits.
[[nodiscard]] std::optional<TimeNs> nanosecondsFromMicroseconds(std::string_view text);

} // namespace rankscope
