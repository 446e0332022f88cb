// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the rows of a query and makes a result table of them: columns of equal types get the unit that their
// declaration or name tells, columns of several types become text.
#pragma once

#include "core/sql/sql_sink.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope {

class ResultCollector : public SqlSink {
 public:
  explicit ResultCollector(std::uint64_t maxCells) : m_maxCells(maxCells) {}

  void begin(std::vector<SqlResultColumn> columns) override;
  std::optional<SqlProblem> row(std::span<const Cell> cells) override;

  // Columns with ids of events.
  [[nodiscard]] std::vector<std::size_t> eventColumns() const;
  // The table; nothing is left.
  [[nodiscard]] ResultTable take();

 private:
  // Types of values that a column was seen to have, as bits.
  enum Seen : std::uint8_t { kWhole = 1, kReal = 2, kText = 4 };

  [[nodiscard]] Unit unitOf(std::size_t column) const;
  [[nodiscard]] Cell converted(const Cell& cell, Unit unit, std::string& text) const;

  std::uint64_t m_maxCells;
  std::vector<SqlResultColumn> m_columns;
  std::vector<std::uint8_t> m_seen; // by column
  std::vector<Cell> m_cells;        // row by row; texts are those of m_texts
  std::unordered_map<std::string, int> m_texts;
  std::uint64_t m_textBytes = 0;
};

} // namespace rankscope
