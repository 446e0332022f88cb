// SPDX-License-Identifier: GPL-3.0-or-later
// Parses step numbers that somebody wrote. Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

// A number of digits only; empty otherwise, including on overflow.
template <class Number> [[nodiscard]] std::optional<Number> plainNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "A..B" or "A": first and last step.
[[nodiscard]] inline std::optional<std::pair<std::int64_t, std::int64_t>>
stepsFromText(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = plainNumber<std::int64_t>(text.substr(0, dots));
  const auto last = dots == text.npos ? first : plainNumber<std::int64_t>(text.substr(dots + 2));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

} // namespace rankscope
