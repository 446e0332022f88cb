// SPDX-License-Identifier: GPL-3.0-or-later
// Natural order of names that contain numbers: rank2 before rank10. A total order, independent of the locale.
// '/' sorts before all other characters, so that the files of a folder stay together. Cost: linear in the
// common prefix, no allocation.
#pragma once

#include <compare>
#include <string_view>

namespace rankscope {

// Compares runs of digits by value, at any length, and everything else byte by byte. Names that differ only
// in leading zeros are ordered by the number of zeros, so only identical texts are equal.
[[nodiscard]] std::strong_ordering naturalOrder(std::string_view left, std::string_view right);

[[nodiscard]] inline bool naturalLess(std::string_view left, std::string_view right) {
  return naturalOrder(left, right) < 0;
}

} // namespace rankscope
