// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of text for a terminal: widths count characters, not bytes, and the content of a trace cannot send
// control codes to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Valid UTF-8 without control characters (each becomes a space). What is longer than maxCharacters is cut to
// that, with an ellipsis before the last keepAtEnd (< maxCharacters) characters.
[[nodiscard]] std::string printableText(std::string_view text, std::size_t maxCharacters = 2000,
                                        std::size_t keepAtEnd = 0);

// Number of code points of valid UTF-8.
[[nodiscard]] std::size_t characterCount(std::string_view text);

class TextTable {
 public:
  // Columns whose title begins with '<' are flush left, all others flush right; the '<' is not shown.
  explicit TextTable(std::vector<std::string> titles);

  // Missing cells at the end are blank.
  void addRow(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return m_rows.size() <= 1; }
  // Every line indented by two spaces, without trailing ones, ending in a line break.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<bool> m_flushLeft;
  std::vector<std::vector<std::string>> m_rows; // titles first
};

} // namespace rankscope
