// SPDX-License-Identifier: GPL-3.0-or-later
// How the tables of collectives and process groups are shown. Pure; UI thread, for their titles are
// translated.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

// Of all ranks together and of each: those that a table lacks stay away.
[[nodiscard]] std::vector<ShownColumn> collectiveColumns();
[[nodiscard]] std::vector<ShownColumn> groupColumns();

} // namespace rankscope::ui
