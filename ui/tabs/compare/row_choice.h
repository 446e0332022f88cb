// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a table of differences are shown, and what comes first. Pure.
#pragma once

#include "core/export/result_table.h"

#include <QStringList>

#include <cstdint>
#include <memory>
#include <string_view>

namespace rankscope::ui {

enum class RowOrder : std::uint8_t { Largest, SlowerFirst, FasterFirst };
enum class RowFilter : std::uint8_t { All, OnlyA, OnlyB, KernelChanged, ShapeChanged };

// By the values above.
[[nodiscard]] QStringList rowOrderTitles();
[[nodiscard]] QStringList rowFilterTitles();

// The column that says how much a row changed.
[[nodiscard]] std::string_view changeColumn(const ResultTable& table);

// The table itself where all of its rows are shown.
[[nodiscard]] std::shared_ptr<const ResultTable> filteredRows(const std::shared_ptr<const ResultTable>& table,
                                                              RowFilter filter);

} // namespace rankscope::ui
