// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/csv.h"

#include "core/base/utf8.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace rankscope {

namespace {

// "-33.5": nothing that a spreadsheet would compute.
bool isNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

} // namespace

std::string csvTextField(std::string_view text) {
  std::string field = validUtf8(text);
  const bool formula =
      !field.empty() && std::string_view("=+-@\t\r\n").find(field.front()) != std::string_view::npos;
  if (formula && !isNumber(field)) field.insert(field.begin(), '\'');
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

std::string toCsv(const ResultTable& table) {
  std::string csv;
  const std::size_t columnCount = table.columns().size();
  for (std::size_t column = 0; column < columnCount; ++column) {
    if (column > 0) csv += ',';
    csv += csvTextField(table.columns()[column].name);
  }
  csv += "\r\n";
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    for (std::size_t column = 0; column < columnCount; ++column) {
      if (column > 0) csv += ',';
      if (table.isEmpty(row, column)) continue;
      const std::string text = exactText(table, row, column);
      csv += table.columns()[column].unit == Unit::Text ? csvTextField(text) : text;
    }
    csv += "\r\n";
  }
  return csv;
}

} // namespace rankscope
