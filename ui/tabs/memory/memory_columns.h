// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of recorded memory in the memory tab. Pure.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

// With the parts of the model, which are empty where they are not asked for.
[[nodiscard]] std::vector<ShownColumn> memoryOperatorColumns();
[[nodiscard]] std::vector<ShownColumn> memoryBlockColumns();

} // namespace rankscope::ui
