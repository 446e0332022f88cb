// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of the tables of memory snapshots in the memory tab.
#pragma once

#include "ui/tables/result_table_model.h"

#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> snapshotPlaceColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotGroupColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotBlockColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotSegmentColumns();

} // namespace rankscope::ui
