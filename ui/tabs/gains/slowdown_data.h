// SPDX-License-Identifier: GPL-3.0-or-later
// What the slowdown cards of the gains tab show: how much longer steps take because of each rank in each
// step, of each stage of a pipeline, and of each kind of work. Pure; made on a worker.
#pragma once

#include "core/export/result_table.h"
#include "core/model/clock_times.h"
#include "core/report/job_report.h"
#include "ui/charts/heat_map.h"

#include <QString>

#include <memory>
#include <vector>

namespace rankscope::ui {

struct SlowdownView {
  HeatContents ranks;                             // rank × step, in percent; without cells: nothing to show
  HeatContents stages;                            // stage × data-parallel rank
  std::vector<std::vector<RankIndex>> recordings; // of each rank in each step; invalid: none
  std::vector<JobRange> stepOfColumn;
  std::shared_ptr<const ResultTable> table; // null: nothing to show
  QString caption;
  QString whyEmpty;
};

[[nodiscard]] SlowdownView slowdownView(const JobReport& report);

} // namespace rankscope::ui
