// SPDX-License-Identifier: GPL-3.0-or-later
// Finding a row of a table by what stands in it. Pure; O(rows), comparing numbers.
#pragma once

#include "core/export/result_table.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace rankscope::ui {

// The first row whose cells are these; columns that the table lacks are passed over. -1: none is.
[[nodiscard]] int findRow(const ResultTable& table,
                          std::initializer_list<std::pair<std::string_view, Cell>> cells);

} // namespace rankscope::ui
