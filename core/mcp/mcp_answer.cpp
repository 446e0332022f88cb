// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/mcp_answer.h"

#include "core/base/utf8.h"
#include "core/export/csv.h"
#include "core/export/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kLongestCell = 400; // characters; kernel names have thousands
// For the end of an answer, and what escapes add.
constexpr std::size_t kReserve = 1'200;

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestCell) return std::string(text);
  std::string cut(text.substr(0, kLongestCell));
  while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U) cut.pop_back();
  if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0U) cut.pop_back();
  return cut + "…";
}

std::string csvRow(const ResultTable& table, std::size_t row) {
  std::string line;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (i > 0) line += ',';
    const std::string text = exactText(table, row, i);
    line += table.columns()[i].unit == Unit::Text ? csvTextField(shortened(text)) : text;
  }
  return line + "\n";
}

void replaceAll(std::string& text, std::string_view part, std::string_view by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
}

} // namespace

std::string jsonOf(const ResultTable& table, std::size_t row) {
  std::string line = "[";
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (i > 0) line += ", ";
    if (table.isEmpty(row, i))
      line += "null";
    else if (table.columns()[i].unit == Unit::Text)
      line += jsonString(shortened(exactText(table, row, i)));
    else
      line += exactText(table, row, i);
  }
  return line + "]";
}

McpAnswer::McpAnswer(std::string scope) : m_text("Scope: " + scope + "\n"), m_scope(std::move(scope)) {}

std::size_t McpAnswer::room() const {
  const std::size_t used = m_text.size() + m_tables.size() + m_scope.size() + kReserve;
  return used >= kMaxAnswer ? 0 : kMaxAnswer - used;
}

void McpAnswer::addTable(std::string_view title, const ResultTable& table, std::size_t limit,
                         std::uint64_t total, std::string_view narrow) {
  std::string header;
  std::string columns;
  for (const TableColumn& column : table.columns()) {
    if (!header.empty()) header += ',';
    header += csvTextField(column.name);
    if (!columns.empty()) columns += ", ";
    columns += jsonString(column.name);
  }
  std::string lines;
  std::string rows;
  std::size_t shown = 0;
  const std::size_t free = room();
  for (; shown < std::min(limit, table.rowCount()); ++shown) {
    const std::string line = csvRow(table, shown);
    const std::string json = jsonOf(table, shown);
    if (header.size() + columns.size() + lines.size() + rows.size() + line.size() + json.size() + 300 > free)
      break;
    lines += line;
    if (!rows.empty()) rows += ", ";
    rows += json;
  }
  const bool cut = shown < total;
  m_truncated = m_truncated || cut;
  m_text += fmt::format("\n{}: {} of {} rows{}\n", title, shown, total, total == 0 ? "" : ", CSV");
  if (cut) m_text += fmt::format("Truncated. {}\n", narrow);
  if (header.size() < free) m_text += header + "\n" + lines;
  if (!m_tables.empty()) m_tables += ", ";
  m_tables +=
      fmt::format(R"({{"title": {}, "row_count": {}, "rows_returned": {}, "columns": [{}], "rows": [{}]}})",
                  jsonString(title), total, shown, columns.size() < free ? columns : "", rows);
}

void McpAnswer::addText(std::string_view text) {
  m_text += '\n';
  const std::string valid = validUtf8(text);
  if (valid.size() <= room()) {
    m_text += valid;
    return;
  }
  const std::size_t end = valid.rfind('\n', room());
  m_text += valid.substr(0, end == std::string::npos ? 0 : end);
  m_text += "\nTruncated.\n";
  m_truncated = true;
}

void McpAnswer::mask(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    replaceAll(m_text, text, "(masked)");
    const std::string quoted = jsonString(text);
    replaceAll(m_tables, std::string_view(quoted).substr(1, quoted.size() - 2), "(masked)");
    replaceAll(m_scope, text, "(masked)");
  }
}

std::string McpAnswer::json() const {
  return fmt::format(R"({{"scope": {}, "truncated": {}, "tables": [{}]}})", jsonString(m_scope), m_truncated,
                     m_tables);
}

} // namespace rankscope
