// SPDX-License-Identifier: GPL-3.0-or-later
// Columns and rows of the tables of memory snapshots in the memory tab. Pure.
#pragma once

#include "core/report/block_groups.h"
#include "ui/tables/result_table_model.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::ui {

[[nodiscard]] std::vector<ShownColumn> snapshotPlaceColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotGroupColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotBlockColumns();
[[nodiscard]] std::vector<ShownColumn> snapshotSegmentColumns();

[[nodiscard]] QString snapshotFileName(const MemorySnapshot& snapshot);

// growth: from the mark to the cursor.
[[nodiscard]] std::shared_ptr<const ResultTable> snapshotGroupRows(const SnapshotResults& result,
                                                                   const DeviceReplay& replay,
                                                                   BlockGrouping grouping, std::int32_t mark,
                                                                   std::int32_t cursor);
[[nodiscard]] std::shared_ptr<const ResultTable> snapshotSegmentRows(const SnapshotResults& result,
                                                                     const SegmentMap& map);
// All devices of all snapshots, by the names of their files.
[[nodiscard]] std::shared_ptr<const ResultTable> snapshotPlaceRows(const SideResults& results);

// The largest peak beside the median: how unevenly ranks are filled. Empty for less than three.
[[nodiscard]] QString imbalanceText(const SideResults& results);

} // namespace rankscope::ui
