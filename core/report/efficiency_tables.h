// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of FLOPs and efficiency: `flops` (points of the roofline), `gemms` (matrix products by shape),
// `mfu` (steps) and `efficiency` (the step's account from peak to achieved).
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

namespace rankscope {

[[nodiscard]] ResultTable flopsTable(const JobReport& report);
[[nodiscard]] ResultTable gemmsTable(const JobReport& report);
[[nodiscard]] ResultTable mfuTable(const JobReport& report);
[[nodiscard]] ResultTable efficiencyTable(const JobReport& report);
// By RankIndex; empty without any.
[[nodiscard]] JobIterations iterationsOf(const JobReport& report);
// Of inference: what a serving engine did one after the other.
[[nodiscard]] ResultTable iterationsTable(const JobReport& report);

} // namespace rankscope
