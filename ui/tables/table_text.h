// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a table as text for elsewhere: a spreadsheet, a file, an issue. Figures are exact where a machine
// reads them, and as they are shown where people do. Linear in the rows.
#pragma once

#include "core/export/result_table.h"

#include <QString>

#include <cstdint>
#include <span>

namespace rankscope::ui {

class ResultTableModel;

// All columns of the table, tab-separated, with a header line.
[[nodiscard]] QString rowsAsTabs(const ResultTable& table, std::span<const std::uint32_t> rows);
// The same as the exported file has them.
[[nodiscard]] QString rowsAsCsv(const ResultTable& table, std::span<const std::uint32_t> rows);
// These columns of the model, under their titles, as they are shown but with nothing left out of names.
[[nodiscard]] QString rowsAsMarkdown(const ResultTableModel& model, std::span<const int> columns,
                                     std::span<const std::uint32_t> rows);

} // namespace rankscope::ui
