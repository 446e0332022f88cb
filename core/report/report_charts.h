// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of a report that no window draws: the step from ideal to measured, and the steps and ranks side by
// side by class of time. Each is as high as its rows need. Pure; cost: the account of the job.
#pragma once

#include "core/report/job_report.h"

#include <string>
#include <vector>

namespace rankscope {

struct ReportChart {
  std::string title;
  std::string caption;
  std::string svg;    // SvgDrawing::markup
  std::string narrow; // the same for a narrow page
  std::string tab;    // id of the tab that shows the same
};

// Those that there is something to show in.
[[nodiscard]] std::vector<ReportChart> reportCharts(const JobReport& report);

} // namespace rankscope
