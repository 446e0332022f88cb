// SPDX-License-Identifier: GPL-3.0-or-later
// Pipelines of a job as charts: one step with the actions of each stage, lines from action to action, and the
// bubble by cause. Pure; made on a worker.
#pragma once

#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/stacked_bars.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

struct PipelineChart {
  std::vector<int> ranks;        // of the job, by lane
  std::vector<RankIndex> places; // by lane
  LaneContents contents;
  std::vector<JobRange> ranges; // by box
  QString caption;              // "1F1B · 4 stages · 8 microbatches · step 3"
  PipelineTimes times;
  BarRows bubble; // schedule, unequal stages, communication; no rows where the schedule has no ideal
  QString bubbleNote;
};

// Measured bubbles above the ideal by more points are large.
inline constexpr double kLargeBubblePoints = 5;

// Of pipelines with a step in scope, at most kMostPipelineCharts.
inline constexpr std::size_t kMostPipelineCharts = 256;
[[nodiscard]] std::vector<PipelineChart> pipelineCharts(const Analysis& analysis,
                                                        const JobPipelines& pipelines);

} // namespace rankscope::ui
