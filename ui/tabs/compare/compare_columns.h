// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the tables of the compare tab, with their titles and tooltips. Constant data.
#pragma once

#include "ui/tables/result_table_model.h"
#include "ui/tabs/compare/compare_data.h"

#include <QStringList>

#include <string>
#include <vector>

namespace rankscope::ui {

// By CompareTable.
[[nodiscard]] QStringList compareTableTitles();
[[nodiscard]] std::vector<ShownColumn> compareColumns(CompareTable table);
// The column that gets the remaining width.
[[nodiscard]] std::string compareStretchColumn(CompareTable table);

} // namespace rankscope::ui
