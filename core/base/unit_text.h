// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where numbers become text: durations, points of time, sizes, rates, counts and shares as
// people read them ("35.4 ms", "104.9 MB", "4.2 M"), and exact microseconds as tables carry them. UTF-8; '.'
// is the decimal point, a space groups thousands and stands before the unit. Every value of the type has a
// text, and equal values have equal ones: no locale is asked.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Three significant digits: "870 ns", "12.3 µs", "35.4 ms", "1.21 s"; whole seconds from 1 000 s on: "1 240
// s".
[[nodiscard]] std::string durationText(TimeNs duration);
// The same with a sign unless it is zero: "+61.8 ms", "-3.00 µs".
[[nodiscard]] std::string signedDurationText(TimeNs duration);
// A point of time on a ruler whose ticks are step apart (> 0): as many decimals as distinguish the ticks.
// 1130000000 by 50000000 is "1 130 ms", by 2500000 it is "1 130.0 ms".
[[nodiscard]] std::string timeText(TimeNs time, TimeNs step);
// The same in one unit, whatever the step: 1130000000 by 2500000 in seconds is "1.1300 s".
enum class TimeUnit : std::uint8_t { Fitting, Seconds, Milliseconds, Microseconds, Nanoseconds };
[[nodiscard]] std::string timeText(TimeNs time, TimeNs step, TimeUnit unit);

// Decimal units, one decimal: "512 B", "75.0 kB", "104.9 MB".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
// The same per second: "12.1 GB/s". An en dash when the rate is not finite.
[[nodiscard]] std::string rateText(double bytesPerSecond);
// Exact below a million, one decimal from there on: "41 208", "4.2 M".
[[nodiscard]] std::string countText(std::int64_t count);
// Exact, in groups of three: "4 213 007".
[[nodiscard]] std::string groupedText(std::int64_t number);
// One decimal: "83.1 %". Exactly 0 and 100 stand without one, so that "0.0 %" and "100.0 %" mean nearly.
// An en dash when the value is not finite.
[[nodiscard]] std::string percentText(double percent);

// What people write for a duration: "1.234s", "12 ms", "350us", "7.5µs", "40ns". Nothing for a number without
// a unit, a negative one, more decimals than nanoseconds have, or what lies beyond kAllTime.
[[nodiscard]] std::optional<TimeNs> durationFromText(std::string_view text);

// Exact microseconds for machines, up to three decimals, no trailing zeros: "12.5", "0.001", "-3".
[[nodiscard]] std::string microsecondsText(TimeNs duration);

} // namespace rankscope
