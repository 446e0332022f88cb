// SPDX-License-Identifier: GPL-3.0-or-later
// Formats all numbers that people read: durations, times, sizes, rates, counts and percentages ("35.4 ms",
// "104.9 MB", "4.2 M"), and exact microseconds for tables. UTF-8, independent of the locale: '.' is the
// decimal point, a space separates thousands and precedes the unit. Every value has a text; equal values have
// equal texts.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Three significant digits: "870 ns", "12.3 µs", "35.4 ms", "1.21 s"; whole seconds from 1 000 s: "1 240 s".
[[nodiscard]] std::string durationText(TimeNs duration);
// durationText with a sign unless zero: "+61.8 ms", "-3.00 µs".
[[nodiscard]] std::string signedDurationText(TimeNs duration);
// A time on a ruler with ticks `step` apart (> 0), with as many decimals as needed to distinguish ticks:
// 1130000000 with step 50000000 is "1 130 ms", with step 2500000 it is "1 130.0 ms".
[[nodiscard]] std::string timeText(TimeNs time, TimeNs step);
// timeText in a fixed unit: 1130000000 with step 2500000 in seconds is "1.1300 s".
enum class TimeUnit : std::uint8_t { Fitting, Seconds, Milliseconds, Microseconds, Nanoseconds };
[[nodiscard]] std::string timeText(TimeNs time, TimeNs step, TimeUnit unit);

// Decimal units with one decimal: "512 B", "75.0 kB", "104.9 MB".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
// bytesText per second: "12.1 GB/s". An en dash if not finite.
[[nodiscard]] std::string rateText(double bytesPerSecond);
// Exact below a million, one decimal above: "41 208", "4.2 M".
[[nodiscard]] std::string countText(std::int64_t count);
// Exact, with thousands separated: "4 213 007".
[[nodiscard]] std::string groupedText(std::int64_t number);
// One decimal: "83.1 %". Exactly 0 and 100 have no decimal, so "0.0 %" and "100.0 %" mean approximately. An
// en dash if not finite.
[[nodiscard]] std::string percentText(double percent);

// Parses a duration typed by the user: "1.234s", "12 ms", "350us", "7.5µs", "40ns". Empty if there is no
// unit, the number is negative, has decimals below a nanosecond, or is beyond kAllTime.
[[nodiscard]] std::optional<TimeNs> durationFromText(std::string_view text);

// Exact microseconds for CSV and JSON, up to three decimals, no trailing zeros: "12.5", "0.001", "-3".
[[nodiscard]] std::string microsecondsText(TimeNs duration);

} // namespace rankscope
