// SPDX-License-Identifier: GPL-3.0-or-later
// Text columns for a terminal. Widths count characters, not bytes. Control characters from a trace are
// removed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Valid UTF-8 with control characters replaced by spaces. Longer texts are cut to maxCharacters, with an
// ellipsis before the last keepAtEnd (< maxCharacters) characters.
[[nodiscard]] std::string printableText(std::string_view text, std::size_t maxCharacters = 2000,
                                        std::size_t keepAtEnd = 0);

// Number of code points of valid UTF-8.
[[nodiscard]] std::size_t characterCount(std::string_view text);

class TextTable {
 public:
  // Columns whose title begins with '<' are left-aligned, others right-aligned; '<' is not printed.
  explicit TextTable(std::vector<std::string> titles);

  // Missing cells at the end are empty.
  void addRow(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return m_rows.size() <= 1; }
  // Lines indented by two spaces, without trailing spaces, ending in a line break.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<bool> m_flushLeft;
  std::vector<std::vector<std::string>> m_rows; // the first row has the titles
};

} // namespace rankscope
