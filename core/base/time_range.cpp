// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/time_range.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace rankscope {

namespace {

bool isDecimalDigit(char c) {
  return c >= '0' && c <= '9';
}

// Parses an optionally signed decimal exponent; empty if it is out of any reasonable range.
std::optional<int> readExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > 3) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (!isDecimalDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

// Parses the eight digits at `at`; empty if any is not a digit. Processes all eight at once in a
// little-endian register: digits are combined to pairs, pairs to fours, fours to the number.
std::optional<std::uint32_t> eightDigits(const char* at) {
  std::uint64_t digits = 0;
  std::memcpy(&digits, at, sizeof digits);
  if (((digits & 0xf0f0f0f0f0f0f0f0) | ((digits + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) !=
      0x3333333333333333)
    return std::nullopt;
  digits = (digits & 0x0f0f0f0f0f0f0f0f) * (10 * 0x100 + 1) >> 8;
  digits = (digits & 0x00ff00ff00ff00ff) * (100 * 0x10000 + 1) >> 16;
  digits = (digits & 0x0000ffff0000ffff) * (10000 * 0x100000000 + 1) >> 32;
  return static_cast<std::uint32_t>(digits);
}

// Fast path for nearly all events: digits, optionally followed by a point and one to three digits. Empty for
// other texts and for numbers that are too large to fit with certainty.
std::optional<TimeNs> plainNanoseconds(std::string_view text) {
  constexpr std::size_t kMaxDigits = 16;
  constexpr std::int64_t kMax = INT64_MAX / 1000 - 1;
  static_assert(std::endian::native == std::endian::little);
  std::size_t decimals = 0;
  while (decimals <= 3 && decimals < text.size() && text[text.size() - 1 - decimals] != '.') ++decimals;
  if (decimals == text.size() || decimals > 3) decimals = text.size(); // no point near the end
  const bool whole = decimals == text.size();
  const std::size_t digits = whole ? text.size() : text.size() - decimals - 1;
  if (digits == 0 || digits > kMaxDigits || decimals == 0) return std::nullopt;
  std::int64_t value = 0;
  std::size_t at = 0;
  if (digits >= 8) {
    for (; at < digits - 8; ++at) {
      if (!isDecimalDigit(text[at])) return std::nullopt;
      value = value * 10 + (text[at] - '0');
    }
    const auto rest = eightDigits(text.data() + at);
    if (!rest) return std::nullopt;
    value = value * 100'000'000 + *rest;
  } else {
    for (; at < digits; ++at) {
      if (!isDecimalDigit(text[at])) return std::nullopt;
      value = value * 10 + (text[at] - '0');
    }
  }
  if (value > kMax) return std::nullopt;
  if (whole) return value * 1000;
  for (std::size_t i = 1; i <= 3; ++i) {
    const char c = i <= decimals ? text[digits + i] : '0';
    if (!isDecimalDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

} // namespace

std::optional<TimeNs> nanosecondsFromMicroseconds(std::string_view text) {
  if (const auto plain = plainNanoseconds(text)) return plain;
  bool negative = false;
  if (!text.empty() && text.front() == '-') {
    negative = true;
    text.remove_prefix(1);
  }
  std::string_view mantissa = text;
  int exponent = 0;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto read = readExponent(text.substr(e + 1));
    if (!read) return std::nullopt;
    exponent = *read;
    mantissa = text.substr(0, e);
  }
  const auto point = mantissa.find('.');
  const std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : mantissa.substr(point + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;

  // The digits before this position of whole + fraction are the nanoseconds.
  const int wanted = static_cast<int>(whole.size()) + exponent + 3;
  std::int64_t value = 0;
  int position = 0;
  bool overflow = false;
  const auto take = [&](char c) {
    if (position++ >= wanted) return;
    overflow = overflow || __builtin_mul_overflow(value, std::int64_t{10}, &value) ||
               __builtin_add_overflow(value, std::int64_t{c - '0'}, &value);
  };
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) {
      if (!isDecimalDigit(c)) return std::nullopt;
      take(c);
    }
  }
  for (; value != 0 && position < wanted && !overflow;) take('0');
  if (overflow) return std::nullopt;
  return negative ? -value : value;
}

} // namespace rankscope
