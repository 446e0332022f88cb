// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of the efficiency tab: titles, tips, texts of numbers. Pure.
#pragma once

#include "ui/tables/table_card.h"

#include <vector>

namespace rankscope::ui {

// Of pointsTable.
[[nodiscard]] std::vector<ShownColumn> pointColumns();
// Of EfficiencyData::checklist.
[[nodiscard]] std::vector<ShownColumn> checkColumns();
// Of IterationRows.
[[nodiscard]] std::vector<ShownColumn> iterationColumns();

} // namespace rankscope::ui
