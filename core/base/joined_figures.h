// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps figures on one line where people read texts that wrap: no line ends within "1 234" or before the unit
// of "22.8 GB/s". Files and tables have plain spaces. Pure; O(length).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Positions of the spaces within figures of a UTF-8 text, ascending.
[[nodiscard]] std::vector<std::size_t> spacesInFigures(std::string_view text);

// The text with no-break spaces there.
[[nodiscard]] std::string withJoinedFigures(std::string_view text);

} // namespace rankscope
