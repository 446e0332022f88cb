// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots as tables and as text.
#pragma once

#include "core/export/result_table.h"
#include "core/report/side_results.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

class JobReport;

[[nodiscard]] ResultTable snapshotsTable(const JobReport& report);
// Blocks alive at the peak of each device, largest first.
[[nodiscard]] ResultTable snapshotBlocksTable(const JobReport& report);
// Segments at the end.
[[nodiscard]] ResultTable snapshotSegmentsTable(const JobReport& report);

[[nodiscard]] ResultTable snapshotsTable(const SideResults& results);
[[nodiscard]] ResultTable snapshotBlocksTable(const SideResults& results);
[[nodiscard]] ResultTable snapshotSegmentsTable(const SideResults& results);
// The blocks alive at an entry of one device, as in snapshotBlocksTable.
[[nodiscard]] ResultTable blocksAtTable(const SnapshotResults& result, std::size_t device,
                                        std::int32_t entry);

// Bytes by what they stand for, largest first.
using NamedBytes = std::vector<std::pair<std::string, std::int64_t>>;
[[nodiscard]] NamedBytes bytesByRole(const DeviceReplay& replay, std::int32_t entry);
[[nodiscard]] NamedBytes bytesByStackClass(const DeviceReplay& replay, std::int32_t entry);
[[nodiscard]] NamedBytes bytesByFrame(const SnapshotResults& result, const DeviceReplay& replay,
                                      std::int32_t entry);
// "Out of memory: asked for 4.2 GB ...". Of several errors their number, the first and the last; empty if
// there is none.
[[nodiscard]] std::string oomSentence(const DeviceReplay& replay);
// "The file is truncated at byte 700: ...": where, and what is missing. Empty if it is whole.
[[nodiscard]] std::string truncationSentence(const MemorySnapshot& snapshot);
// How far the recording can be trusted: what was lost, what contradicts itself. Of a truncated file, that
// comes first.
[[nodiscard]] std::vector<std::string> snapshotQuality(const DeviceReplay& replay);

// For people.
[[nodiscard]] std::string snapshotText(const SideResults& results);
[[nodiscard]] std::string snapshotJson(const SideResults& results);

} // namespace rankscope
