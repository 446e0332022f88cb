// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of the Stacks tab, with their titles and definitions.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

// Of moduleTreeTable. Without a device the columns of its time are hidden.
[[nodiscard]] std::vector<ShownColumn> moduleColumns();
// Of the frames of Callers and callees.
[[nodiscard]] std::vector<ShownColumn> frameColumns();

} // namespace rankscope::ui
