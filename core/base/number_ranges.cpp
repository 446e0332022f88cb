// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_ranges.h"

#include <charconv>
#include <cstddef>
#include <set>
#include <system_error>

namespace rankscope {

std::string numberRangesText(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> numbersInRanges(std::string_view text) {
  constexpr int kMaxNumber = 1'000'000;
  const auto numberOf = [](std::string_view digits) -> std::optional<int> {
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    while (digits.ends_with(' ')) digits.remove_suffix(1);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && number >= 0 && number <= kMaxNumber ? std::optional(number) : std::nullopt;
  };
  std::set<int> numbers;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = numberOf(part.substr(0, dash));
    const auto last = dash == part.npos ? first : numberOf(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int number = *first; number <= *last; ++number) numbers.insert(numbers.end(), number);
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return std::vector<int>(numbers.begin(), numbers.end());
}

} // namespace rankscope
