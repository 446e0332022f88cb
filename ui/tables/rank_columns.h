// SPDX-License-Identifier: GPL-3.0-or-later
// How the ranks table is shown. Pure; UI thread, for its titles are translated.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> rankColumns();
// The one that every table with a rank has after it; stays away where each rank has one recording.
[[nodiscard]] ShownColumn captureColumn();

} // namespace rankscope::ui
