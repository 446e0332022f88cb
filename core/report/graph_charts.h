// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a report about the graph of the job: what a step would take if something were different, what its
// critical path consists of and which ranks it is on, and which ranks make steps longer. Pure; cost: the
// graph of the job, its default scenarios and slowdown.
#pragma once

#include "core/report/report_charts.h"

namespace rankscope {

// Those that there is something to show in; none of digests, which have no events.
[[nodiscard]] std::vector<ReportChart> graphCharts(const JobReport& report);

} // namespace rankscope
