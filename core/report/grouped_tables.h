// SPDX-License-Identifier: GPL-3.0-or-later
// Tables whose rows are split by the part of the model that they belong to: module, class, layer, phase of
// the pass or compiled graph. The key is a column of its own; what belongs to none is a row, so that sums are
// those of the table without a key. Pure; O(events of the ranks).
#pragma once

#include "core/analysis/stacks/call_groups.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"
#include "core/report/recording_rows.h"

#include <memory>
#include <span>
#include <string_view>

namespace rankscope {

// "operators", "kernels", "memory", "gaps", "collectives", "flops", "gemms".
[[nodiscard]] std::span<const std::string_view> groupableTables();

// Null for a table that has no such rows. rows: summed over ranks, or of each; rows of FLOPs are of each.
[[nodiscard]] std::shared_ptr<const ResultTable> groupedTable(const JobReport& report, std::string_view table,
                                                              CallGrouping grouping,
                                                              const RecordingRows& rows,
                                                              unsigned threadCount);

} // namespace rankscope
