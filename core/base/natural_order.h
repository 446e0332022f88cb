// SPDX-License-Identifier: GPL-3.0-or-later
// The order people expect of names with numbers in them: rank2 before rank10. Total and independent of the
// locale; '/' sorts before everything else, so that a folder's files stay together.
// Cost: linear in the common beginning, no allocation.
#pragma once

#include <compare>
#include <string_view>

namespace rankscope {

// Runs of digits compare by value, of whatever length; the rest byte by byte. Names that differ only in
// leading zeros are ordered by the fewer zeros, so only equal texts are equal.
[[nodiscard]] std::strong_ordering naturalOrder(std::string_view left, std::string_view right);

[[nodiscard]] inline bool naturalLess(std::string_view left, std::string_view right) {
  return naturalOrder(left, right) < 0;
}

} // namespace rankscope
