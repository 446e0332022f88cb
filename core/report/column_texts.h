// SPDX-License-Identifier: GPL-3.0-or-later
// What people read where a CSV has names: the title of a column, what it means as the guide's page of columns
// defines it, and words for the values that are ids. The columns of comparisons, which the guide does not
// list one by one, are defined here. Pure; the page is read once. Thread-safe.
#pragma once

#include "core/export/result_table.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

// "GPU busy", "Exposed communication"; without the unit, which the cells show. "in %" only where another
// column has the same name.
[[nodiscard]] std::string columnTitle(const ResultTable& table, std::size_t column);

// Of the column of this table; of a table that the guide does not list, what the same name means elsewhere.
// Empty if nothing is known. Plain text.
[[nodiscard]] std::string columnDefinition(std::string_view table, std::string_view column);

// "Unit: time; µs in exports". Empty for text.
[[nodiscard]] std::string_view unitNote(Unit unit);

// The cell for people: cellText with ids as words, 0 and 1 of flags as no and yes, and differences with a
// sign.
[[nodiscard]] std::string shownText(const ResultTable& table, std::size_t row, std::size_t column);

// The guide's page of columns, resources/help/columns.md.
[[nodiscard]] std::string columnGuide();

} // namespace rankscope
