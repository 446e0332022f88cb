// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/json_lines.h"

#include "core/export/json.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kBuffer = 1 << 16;

} // namespace

std::string_view unitWord(Unit unit) {
  switch (unit) {
  case Unit::Text:
    return "text";
  case Unit::Identity:
    return "id";
  case Unit::Count:
    return "count";
  case Unit::Nanoseconds:
    return "us";
  case Unit::Bytes:
    return "bytes";
  case Unit::Percent:
    return "pct";
  case Unit::GigabytesPerSecond:
    return "gb_s";
  case Unit::Ratio:
    break;
  }
  return "ratio";
}

std::string jsonValue(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell))
    return std::isfinite(*real) ? fmt::format("{}", *real) : "null";
  if (const auto* text = std::get_if<std::string_view>(&cell)) return jsonString(*text);
  return "null";
}

void JsonLines::begin(std::vector<SqlResultColumn> columns) {
  m_lines = "{\"columns\": [";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) m_lines += ", ";
    m_lines += "{\"name\": ";
    m_lines += jsonString(columns[i].name);
    m_lines += ", \"unit\": ";
    m_lines += columns[i].unit ? jsonString(unitWord(*columns[i].unit)) : "null";
    m_lines += '}';
  }
  m_lines += "]}\n";
}

std::optional<SqlProblem> JsonLines::row(std::span<const Cell> cells) {
  m_lines += '[';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) m_lines += ", ";
    m_lines += jsonValue(cells[i]);
  }
  m_lines += "]\n";
  ++m_rows;
  if (m_lines.size() >= kBuffer) flush();
  if (m_good) return std::nullopt;
  return SqlProblem{SqlProblem::Kind::Cancelled, "the output cannot be written"};
}

void JsonLines::end(bool cut) {
  m_lines += fmt::format("{{\"rows\": {}, \"truncated\": {}}}\n", m_rows, cut);
  flush();
}

void JsonLines::flush() {
  m_good = m_good && m_write(m_lines);
  m_lines.clear();
}

} // namespace rankscope
