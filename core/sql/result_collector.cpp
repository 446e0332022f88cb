// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/result_collector.h"

#include "core/base/whole_number.h"

#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

} // namespace

void ResultCollector::begin(std::vector<SqlResultColumn> columns) {
  m_columns = std::move(columns);
  m_seen.assign(m_columns.size(), 0);
  m_cells.clear();
  m_texts.clear();
}

std::optional<SqlProblem> ResultCollector::row(std::span<const Cell> cells) {
  if (m_cells.size() + cells.size() > m_maxCells || m_textBytes > kMaxTextBytes)
    return SqlProblem{SqlProblem::Kind::Limit, "the result is too large to keep: add a LIMIT, or group"};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell cell = cells[i];
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      const auto [place, isNew] = m_texts.try_emplace(std::string(*text), 0);
      if (isNew) m_textBytes += text->size();
      cell = std::string_view(place->first);
      m_seen[i] |= kText;
    } else if (std::holds_alternative<double>(cell)) {
      m_seen[i] |= kReal;
    } else if (std::holds_alternative<std::int64_t>(cell)) {
      m_seen[i] |= kWhole;
    }
    m_cells.push_back(cell);
  }
  return std::nullopt;
}

Unit ResultCollector::unitOf(std::size_t column) const {
  const std::uint8_t seen = m_seen[column];
  if ((seen & kText) != 0) return Unit::Text;
  const Unit unit = m_columns[column].unit.value_or((seen & kReal) != 0 ? Unit::Ratio : Unit::Count);
  if (unit == Unit::Text) return (seen & kReal) != 0 ? Unit::Ratio : Unit::Count;
  // A mean of counts is not a count.
  if ((unit == Unit::Count || unit == Unit::Identity) && (seen & kReal) != 0) return Unit::Ratio;
  return seen == 0 && !m_columns[column].unit ? Unit::Text : unit;
}

Cell ResultCollector::converted(const Cell& cell, Unit unit, std::string& text) const {
  const bool isNumber = std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
  if (!isNumber) return cell;
  const auto* const whole = std::get_if<std::int64_t>(&cell);
  const double real = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
  switch (unit) {
  case Unit::Text:
    text = whole != nullptr ? std::to_string(*whole) : fmt::format("{}", real);
    return std::string_view(text);
  case Unit::Nanoseconds: // given in microseconds
    return rounded(real * 1000);
  case Unit::Identity:
  case Unit::Count:
  case Unit::Bytes:
    return whole != nullptr ? *whole : rounded(real);
  default:
    return real;
  }
}

std::vector<std::size_t> ResultCollector::eventColumns() const {
  std::vector<std::size_t> columns;
  columns.reserve(m_columns.size());
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    if (m_columns[i].event) columns.push_back(i);
  }
  return columns;
}

ResultTable ResultCollector::take() {
  std::vector<TableColumn> columns;
  columns.reserve(m_columns.size());
  for (std::size_t i = 0; i < m_columns.size(); ++i) columns.push_back({m_columns[i].name, unitOf(i)});
  ResultTable table("query", std::move(columns));
  std::vector<Cell> row(m_columns.size());
  std::vector<std::string> texts(m_columns.size());
  const std::size_t width = m_columns.size();
  for (std::size_t at = 0; width > 0 && at + width <= m_cells.size(); at += width) {
    for (std::size_t i = 0; i < width; ++i)
      row[i] = converted(m_cells[at + i], table.columns()[i].unit, texts[i]);
    table.addRow(row);
  }
  m_cells.clear();
  m_texts.clear();
  return table;
}

} // namespace rankscope
