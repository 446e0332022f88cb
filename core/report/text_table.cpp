// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/text_table.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

bool continuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

} // namespace

std::size_t characterCount(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continuesCharacter(c); }));
}

std::string printableText(std::string_view text, std::size_t maxCharacters, std::size_t keepAtEnd) {
  const std::string valid = validUtf8(text);
  std::string result;
  std::vector<std::size_t> starts; // of characters in result
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    if (!continuesCharacter(valid[i])) starts.push_back(result.size());
    const bool isC1 = byte == 0xc2 && i + 1 < valid.size() && static_cast<unsigned char>(valid[i + 1]) < 0xa0;
    if (isC1) ++i;
    result += byte < 0x20 || byte == 0x7f || isC1 ? ' ' : valid[i];
  }
  if (starts.size() <= maxCharacters) return result;
  const std::size_t head = starts[maxCharacters - keepAtEnd - 1];
  const std::size_t tail = keepAtEnd == 0 ? result.size() : starts[starts.size() - keepAtEnd];
  return result.substr(0, head) + "…" + result.substr(tail);
}

TextTable::TextTable(std::vector<std::string> titles) {
  for (std::string& title : titles) {
    m_flushLeft.push_back(title.starts_with('<'));
    if (m_flushLeft.back()) title.erase(0, 1);
  }
  m_rows.push_back(std::move(titles));
}

void TextTable::addRow(std::vector<std::string> cells) {
  cells.resize(m_flushLeft.size());
  m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(m_flushLeft.size());
  for (const std::vector<std::string>& row : m_rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characterCount(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : m_rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - characterCount(row[i]), ' ');
      line += "  " + (m_flushLeft[i] ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

} // namespace rankscope
