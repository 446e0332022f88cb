// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of collectives and process groups. Pure; UI thread, because titles are translated.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

// As means over ranks and by rank; missing columns are hidden.
[[nodiscard]] std::vector<ShownColumn> collectiveColumns();
[[nodiscard]] std::vector<ShownColumn> groupColumns();

} // namespace rankscope::ui
