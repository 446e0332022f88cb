// SPDX-License-Identifier: GPL-3.0-or-later
// How the ranks table is shown. Pure; UI thread, for its titles are translated.
#pragma once

#include "ui/models/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> rankColumns();

} // namespace rankscope::ui
