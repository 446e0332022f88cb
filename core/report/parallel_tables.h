// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of how the job is divided: its groups, the place of each rank, communication by dimension.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

namespace rankscope {

[[nodiscard]] ResultTable parallelGroupsTable(const JobReport& report);
[[nodiscard]] ResultTable parallelRanksTable(const JobReport& report);
[[nodiscard]] ResultTable parallelSummaryTable(const JobReport& report);

// The number of a step of a rank as tables have it; empty if it has none.
[[nodiscard]] Cell stepNumberCell(const Analysis& analysis, RankIndex rank, std::size_t step);

} // namespace rankscope
