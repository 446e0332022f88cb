// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of pipelines: every action, and what each stage costs.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

namespace rankscope {

[[nodiscard]] ResultTable pipelineActionsTable(const JobReport& report);
[[nodiscard]] ResultTable pipelineStagesTable(const JobReport& report);

} // namespace rankscope
