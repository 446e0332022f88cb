// SPDX-License-Identifier: GPL-3.0-or-later
// Finds rows of a table by cell values. Pure; O(rows), comparing numbers.
#pragma once

#include "core/export/result_table.h"

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

namespace rankscope::ui {

// The first row with these cells; columns that the table lacks are ignored. -1: none.
[[nodiscard]] int findRow(const ResultTable& table,
                          std::initializer_list<std::pair<std::string_view, Cell>> cells);

// All rows with these cells, without these columns.
[[nodiscard]] std::shared_ptr<const ResultTable>
rowsWhere(const ResultTable& table, std::initializer_list<std::pair<std::string_view, Cell>> cells);

} // namespace rankscope::ui
