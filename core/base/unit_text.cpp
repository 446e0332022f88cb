// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/unit_text.h"

#include "core/base/byte_units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>
#include <system_error>

namespace rankscope {

namespace {

constexpr std::string_view kUnknown = "–";
constexpr std::array<std::uint64_t, 10> kPowersOfTen = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

struct Unit {
  std::uint64_t size;
  std::string_view name;
};

constexpr std::array<Unit, 4> kTimeUnits = {
    {{1, "ns"}, {1'000, "µs"}, {1'000'000, "ms"}, {1'000'000'000, "s"}}};
constexpr std::array<Unit, 7> kByteUnits = {{{1, "B"},
                                             {1'000, "kB"},
                                             {1'000'000, "MB"},
                                             {1'000'000'000, "GB"},
                                             {1'000'000'000'000, "TB"},
                                             {1'000'000'000'000'000, "PB"},
                                             {1'000'000'000'000'000'000, "EB"}}};
constexpr std::array<Unit, 5> kCountUnits = {{{1'000'000, "M"},
                                              {1'000'000'000, "G"},
                                              {1'000'000'000'000, "T"},
                                              {1'000'000'000'000'000, "P"},
                                              {1'000'000'000'000'000'000, "E"}}};

// The absolute value. Also correct for the smallest int64, which has no positive counterpart.
constexpr std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

// value / unit rounded to 10^-decimals, halves up. decimals <= 9; unit is 1 or a multiple of 10^decimals.
std::string scaled(std::uint64_t value, std::uint64_t unit, unsigned decimals) {
  const std::uint64_t step = unit / kPowersOfTen[decimals];
  const std::uint64_t steps = value / step + (value % step >= step - value % step ? 1 : 0);
  std::string whole = grouped(steps / kPowersOfTen[decimals]);
  if (decimals == 0) return whole;
  return fmt::format("{}.{:0{}}", whole, steps % kPowersOfTen[decimals], decimals);
}

// The largest unit in which the rounded value is at least 1.
const Unit& unitFor(std::span<const Unit> units, std::uint64_t value, std::uint64_t roundingParts) {
  std::size_t chosen = 0;
  while (chosen + 1 < units.size()) {
    const std::uint64_t size = units[chosen + 1].size;
    // Just below a unit, but rounded to "1000.0" of the smaller one: use the larger unit.
    const std::uint64_t half = units[chosen].size / roundingParts / 2;
    if (value < size - half) break;
    ++chosen;
  }
  return units[chosen];
}

std::string magnitudeOfDuration(std::uint64_t duration) {
  const Unit& unit = unitFor(kTimeUnits, duration, 1);
  unsigned decimals = 0;
  if (unit.size > 1) {
    // 9.996 would be rounded to 10.00 and needs only one decimal; likewise 99.96.
    if (duration < 100 * unit.size - unit.size / 20) decimals = 1;
    if (duration < 10 * unit.size - unit.size / 200) decimals = 2;
  }
  return fmt::format("{} {}", scaled(duration, unit.size, decimals), unit.name);
}

// Formats with as many decimals as needed to distinguish multiples of the step, up to a maximum.
std::string timeIn(const Unit& unit, TimeNs time, std::uint64_t stepSize, unsigned maxDecimals) {
  unsigned decimals = 0;
  while (decimals < maxDecimals && stepSize < unit.size / kPowersOfTen[decimals]) ++decimals;
  // A step such as 2.5 needs one more decimal.
  if (decimals < maxDecimals && stepSize % (unit.size / kPowersOfTen[decimals]) != 0) ++decimals;
  const std::string text = scaled(magnitude(time), unit.size, decimals);
  const bool isZero = text.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{} {}", time < 0 && !isZero ? "-" : "", text, unit.name);
}

std::string decimalBytesText(std::int64_t bytes) {
  const std::uint64_t size = magnitude(bytes);
  const Unit& unit = unitFor(kByteUnits, size, 10);
  return fmt::format("{}{} {}", bytes < 0 ? "-" : "", scaled(size, unit.size, unit.size > 1 ? 1 : 0),
                     unit.name);
}

// One decimal, halves up, thousands separated as in all numbers; what would be "1024.0" of a unit is "1.0" of
// the next one.
std::string binaryBytesText(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const std::uint64_t size = magnitude(bytes);
  const std::string_view sign = bytes < 0 ? "-" : "";
  if (size < 1024) return fmt::format("{}{} B", sign, grouped(size));
  std::size_t unit = 1;
  const auto tenths = [&] {
    const std::uint64_t whole = size >> (10 * unit);
    const std::uint64_t rest = size - (whole << (10 * unit));
    // At most 2^60 times 10 does not fit, so that the last bits of large units are left out.
    const unsigned drop = unit > 5 ? 10 : 0;
    const std::uint64_t one = std::uint64_t{1} << (10 * unit - drop);
    return 10 * whole + (10 * (rest >> drop) + one / 2) / one;
  };
  while (unit + 1 < kNames.size() && tenths() >= 10'240) ++unit;
  const std::uint64_t shown = tenths();
  return fmt::format("{}{}.{} {}", sign, grouped(shown / 10), shown % 10, kNames[unit]);
}

} // namespace

std::string durationText(TimeNs duration) {
  return (duration < 0 ? "-" : "") + magnitudeOfDuration(magnitude(duration));
}

std::string signedDurationText(TimeNs duration) {
  return (duration > 0 ? "+" : "") + durationText(duration);
}

std::string timeText(TimeNs time, TimeNs step) {
  const std::uint64_t stepSize = magnitude(step);
  // Seconds for steps from 1 s, milliseconds from 1 us, so that three decimals are always sufficient.
  return timeIn(kTimeUnits[stepSize >= 1'000'000'000 ? 3 : stepSize >= 1'000 ? 2 : 1], time, stepSize, 3);
}

std::string timeText(TimeNs time, TimeNs step, TimeUnit unit) {
  if (unit == TimeUnit::Fitting) return timeText(time, step);
  const std::size_t index = 4 - static_cast<std::size_t>(unit);
  return timeIn(kTimeUnits[index], time, magnitude(step), static_cast<unsigned>(3 * index));
}

std::string bytesText(std::int64_t bytes) {
  return byteUnits() == ByteUnits::Binary ? binaryBytesText(bytes) : decimalBytesText(bytes);
}

std::string rateText(double bytesPerSecond) {
  if (!std::isfinite(bytesPerSecond)) return std::string(kUnknown);
  // Real rates are below 9 EB/s; clamp so that llround is defined.
  const double bounded = std::min(std::max(bytesPerSecond, -9e18), 9e18);
  return decimalBytesText(std::llround(bounded)) + "/s";
}

std::string countText(std::int64_t count) {
  const std::uint64_t size = magnitude(count);
  if (size < 1'000'000) return groupedText(count);
  const Unit& unit = unitFor(kCountUnits, size, 10);
  return fmt::format("{}{} {}", count < 0 ? "-" : "", scaled(size, unit.size, 1), unit.name);
}

std::string groupedText(std::int64_t number) {
  return (number < 0 ? "-" : "") + grouped(magnitude(number));
}

std::string percentText(double percent) {
  if (!std::isfinite(percent)) return std::string(kUnknown);
  if (percent == 0) return "0 %";
  if (percent == 100) return "100 %";
  std::string text = fmt::format("{:.1f} %", percent);
  return text == "-0.0 %" ? "0.0 %" : text;
}

std::string microsecondsText(TimeNs duration) {
  const std::uint64_t size = magnitude(duration);
  std::string text;
  fmt::format_to(std::back_inserter(text), "{}{}", duration < 0 ? "-" : "", size / 1'000);
  if (size % 1'000 != 0) {
    fmt::format_to(std::back_inserter(text), ".{:03}", size % 1'000);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::optional<TimeNs> durationFromText(std::string_view text) {
  struct Suffix {
    std::string_view text;
    std::size_t decimals; // of a nanosecond
  };
  // Longer suffixes first: "s" would match all of them.
  static constexpr std::array kSuffixes{Suffix{"ns", 0}, Suffix{"us", 3}, Suffix{"µs", 3}, Suffix{"ms", 6},
                                        Suffix{"s", 9}};
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  text = trimmed(text);
  const auto suffix =
      std::ranges::find_if(kSuffixes, [&](const Suffix& s) { return text.ends_with(s.text); });
  if (suffix == kSuffixes.end()) return std::nullopt;
  text = trimmed(text.substr(0, text.size() - suffix->text.size()));
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == text.npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.size() > 10 || fraction.size() > suffix->decimals ||
      (point != text.npos && fraction.empty()))
    return std::nullopt;
  std::string digits(whole);
  digits.append(fraction).append(suffix->decimals - fraction.size(), '0');
  TimeNs time = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time);
  const bool onlyDigits = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (error != std::errc() || !onlyDigits || end != digits.data() + digits.size()) return std::nullopt;
  return time < kAllTime.end ? std::optional(time) : std::nullopt;
}

} // namespace rankscope
