// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a table as text for other programs: spreadsheets, files, issues. Numbers are exact in machine-
// readable formats, and as displayed in the others. O(rows).
#pragma once

#include "core/export/result_table.h"

#include <QString>

#include <cstdint>
#include <span>

namespace rankscope::ui {

class ResultTableModel;

// All columns of the table, tab-separated, with a header line.
[[nodiscard]] QString rowsAsTabs(const ResultTable& table, std::span<const std::uint32_t> rows);
// The same in the format of the exported file.
[[nodiscard]] QString rowsAsCsv(const ResultTable& table, std::span<const std::uint32_t> rows);
// These columns of the model with their titles, formatted as displayed, with full names.
[[nodiscard]] QString rowsAsMarkdown(const ResultTableModel& model, std::span<const int> columns,
                                     std::span<const std::uint32_t> rows);

} // namespace rankscope::ui
