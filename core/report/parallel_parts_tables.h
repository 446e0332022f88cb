// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of what each dimension of a job consists of: DDP buckets, FSDP units, what each ZeRO stage would
// take, layers of tensor parallelism, traffic of experts.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

namespace rankscope {

[[nodiscard]] ResultTable ddpBucketsTable(const JobReport& report);
[[nodiscard]] ResultTable fsdpUnitsTable(const JobReport& report);
[[nodiscard]] ResultTable zeroStagesTable(const JobReport& report);
[[nodiscard]] ResultTable tpLayersTable(const JobReport& report);
[[nodiscard]] ResultTable expertTrafficTable(const JobReport& report);
[[nodiscard]] ResultTable expertRanksTable(const JobReport& report);

} // namespace rankscope
