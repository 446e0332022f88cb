// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_rows.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

namespace {

struct Wanted {
  std::size_t column;
  std::optional<std::size_t> text; // index of the text in the table
  Cell cell;
};

bool has(const ResultTable& table, std::size_t row, const Wanted& wanted) {
  if (std::holds_alternative<std::monostate>(wanted.cell)) return table.isEmpty(row, wanted.column);
  if (table.isEmpty(row, wanted.column)) return false;
  return wanted.text ? table.textNumber(row, wanted.column) == *wanted.text
                     : table.at(row, wanted.column) == wanted.cell;
}

} // namespace

int findRow(const ResultTable& table, std::initializer_list<std::pair<std::string_view, Cell>> cells) {
  std::vector<Wanted> wanted;
  for (const auto& [name, cell] : cells) {
    const auto column = table.columnNamed(name);
    if (!column) continue;
    wanted.push_back({*column, std::nullopt, cell});
    const auto* text = std::get_if<std::string_view>(&cell);
    if (text == nullptr) continue;
    std::size_t number = 0;
    while (number < table.textCount() && table.text(number) != *text) ++number;
    if (number == table.textCount()) return -1;
    wanted.back().text = number;
  }
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    if (std::ranges::all_of(wanted, [&](const Wanted& cell) { return has(table, row, cell); }))
      return static_cast<int>(row);
  }
  return -1;
}

std::shared_ptr<const ResultTable> rowsWhere(const ResultTable& table,
                                             std::initializer_list<std::pair<std::string_view, Cell>> cells) {
  std::vector<std::pair<std::size_t, Cell>> wanted;
  for (const auto& [name, cell] : cells) {
    if (const auto column = table.columnNamed(name)) wanted.emplace_back(*column, cell);
  }
  std::vector<std::size_t> kept;
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (std::ranges::find(wanted, i, &std::pair<std::size_t, Cell>::first) != wanted.end()) continue;
    kept.push_back(i);
    columns.push_back(table.columns()[i]);
  }
  auto rows = std::make_shared<ResultTable>(table.name(), std::move(columns));
  std::vector<Cell> row;
  for (std::size_t i = 0; i < table.rowCount(); ++i) {
    if (!std::ranges::all_of(wanted, [&](const auto& of) { return table.at(i, of.first) == of.second; }))
      continue;
    row.clear();
    for (const std::size_t column : kept) row.push_back(table.at(i, column));
    rows->addRow(row);
  }
  return rows;
}

} // namespace rankscope::ui
