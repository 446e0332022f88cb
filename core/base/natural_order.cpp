// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/natural_order.h"

#include <cstddef>

namespace rankscope {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digitsFrom(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && isDigit(text[end])) ++end;
  return end - at;
}

std::string_view withoutZeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

int weight(char c) {
  return c == '/' ? -1 : static_cast<unsigned char>(c);
}

} // namespace

std::strong_ordering naturalOrder(std::string_view left, std::string_view right) {
  std::size_t l = 0;
  std::size_t r = 0;
  std::strong_ordering zeros = std::strong_ordering::equal;
  while (l < left.size() && r < right.size()) {
    if (isDigit(left[l]) && isDigit(right[r])) {
      const std::size_t leftLength = digitsFrom(left, l);
      const std::size_t rightLength = digitsFrom(right, r);
      const std::string_view leftValue = withoutZeros(left.substr(l, leftLength));
      const std::string_view rightValue = withoutZeros(right.substr(r, rightLength));
      if (leftValue.size() != rightValue.size()) return leftValue.size() <=> rightValue.size();
      if (const auto byValue = leftValue.compare(rightValue); byValue != 0) return byValue <=> 0;
      if (zeros == 0) zeros = leftLength <=> rightLength;
      l += leftLength;
      r += rightLength;
      continue;
    }
    if (left[l] != right[r]) return weight(left[l]) <=> weight(right[r]);
    ++l;
    ++r;
  }
  if (l < left.size()) return std::strong_ordering::greater;
  if (r < right.size()) return std::strong_ordering::less;
  return zeros;
}

} // namespace rankscope
