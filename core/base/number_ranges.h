// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of whole numbers, such as ranks, as short text and back. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// "0-3, 5, 8-15" for ascending numbers.
[[nodiscard]] std::string numberRangesText(const std::vector<int>& numbers);
// The numbers of "0,3-5" or "0, 3-5", ascending, without duplicates; empty if the text is no such list.
[[nodiscard]] std::optional<std::vector<int>> numbersInRanges(std::string_view text);

} // namespace rankscope
