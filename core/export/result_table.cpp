// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/result_table.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

// Fixed notation without trailing zeros: 12.500 becomes 12.5, -0.000 becomes 0.
std::string decimalText(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

} // namespace

ResultTable::ResultTable(std::string name, std::vector<TableColumn> columns)
    : m_name(std::move(name)), m_columns(std::move(columns)) {}

void ResultTable::addRow(std::span<const Cell> cells) {
  assert(cells.size() == m_columns.size());
  for (std::size_t column = 0; column < m_columns.size(); ++column) {
    const Cell cell = column < cells.size() ? cells[column] : Cell();
    std::uint64_t bits = 0;
    bool empty = false;
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
      assert(isWhole(m_columns[column].unit));
      bits = std::bit_cast<std::uint64_t>(*whole);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      assert(!isWhole(m_columns[column].unit) && m_columns[column].unit != Unit::Text);
      bits = std::bit_cast<std::uint64_t>(*real);
      empty = !std::isfinite(*real);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      assert(m_columns[column].unit == Unit::Text);
      bits = textId(*text);
    } else {
      empty = true;
    }
    m_values.push_back(bits);
    m_empty.push_back(empty);
  }
  ++m_rowCount;
}

std::optional<std::size_t> ResultTable::columnNamed(std::string_view name) const {
  const auto found = std::find_if(m_columns.begin(), m_columns.end(),
                                  [&](const TableColumn& column) { return column.name == name; });
  if (found == m_columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - m_columns.begin());
}

Cell ResultTable::at(std::size_t row, std::size_t column) const {
  if (isEmpty(row, column)) return {};
  const std::uint64_t bits = m_values[row * m_columns.size() + column];
  const Unit unit = m_columns[column].unit;
  if (unit == Unit::Text) return std::string_view(*m_texts[bits]);
  if (isWhole(unit)) return std::bit_cast<std::int64_t>(bits);
  return std::bit_cast<double>(bits);
}

std::uint64_t ResultTable::textId(std::string_view text) {
  const auto [place, isNew] = m_textIds.try_emplace(std::string(text), m_texts.size());
  if (isNew) m_texts.push_back(&place->first);
  return place->second;
}

std::string exactText(const ResultTable& table, std::size_t row, std::size_t column) {
  const Cell cell = table.at(row, column);
  const Unit unit = table.columns()[column].unit;
  if (const auto* whole = std::get_if<std::int64_t>(&cell))
    return unit == Unit::Nanoseconds ? microsecondsText(*whole) : std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return decimalText(*real, unit == Unit::Percent ? 3 : 6);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  return {};
}

} // namespace rankscope
