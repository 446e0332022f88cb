// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and columns of the tables of the parallelism tab.
#pragma once

#include "ui/tables/result_table_model.h"
#include "ui/tabs/parallelism/parallelism_data.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] QString parallelTableTitle(ParallelTable of);
[[nodiscard]] std::vector<ShownColumn> parallelTableColumns(ParallelTable of);

} // namespace rankscope::ui
