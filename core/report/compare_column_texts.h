// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and definitions of the columns of comparisons, and words for the ids in them; column_texts asks here
// first. Constant data. Empty: not of a comparison, or nothing known.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// "Kernels" of "compare_kernels".
[[nodiscard]] std::string_view compareTableTitle(std::string_view table);
[[nodiscard]] std::string_view compareColumnTitle(std::string_view table, std::string_view column);
[[nodiscard]] std::string_view compareColumnDefinition(std::string_view table, std::string_view column);
[[nodiscard]] std::string compareValueWords(std::string_view table, std::string_view column,
                                            std::string_view text);

} // namespace rankscope
