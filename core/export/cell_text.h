// SPDX-License-Identifier: GPL-3.0-or-later
// Formats table cells for the user according to the column's unit: "35.4 ms", "104.9 MB", "83.1 %", "41 208";
// an en dash if unknown. Pure.
#pragma once

#include "core/export/result_table.h"

#include <string>

namespace rankscope {

[[nodiscard]] std::string cellText(const Cell& cell, Unit unit);
[[nodiscard]] std::string cellText(const ResultTable& table, std::size_t row, std::size_t column);

} // namespace rankscope
