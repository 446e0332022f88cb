// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the ranks table. Pure; UI thread, because of translated titles.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> rankColumns();
// The column that follows the rank in every table; hidden if each rank has one recording.
[[nodiscard]] ShownColumn captureColumn();

} // namespace rankscope::ui
