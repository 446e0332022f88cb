// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of the parallelism tab about replicas, shards, layers and experts: one step of each rank with its
// gradient buckets or FSDP units beside computation, time by tensor-parallel layer, and what expert ranks
// send to each other. Pure; made on a worker.
#pragma once

#include "core/analysis/parallel/job_parallel.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/stacked_bars.h"

#include <QString>

#include <optional>
#include <set>
#include <vector>

namespace rankscope::ui {

// A step of one rank.
struct RankChart {
  int rank = 0;
  LaneContents contents;
  std::vector<LegendItem> legend;
  QString caption;
};

// Of the ranks that have any, at most kMostRankCharts.
inline constexpr std::size_t kMostRankCharts = 256;
[[nodiscard]] std::vector<RankChart> fsdpCharts(const Analysis& analysis, const JobParallel& parallel);
[[nodiscard]] std::vector<RankChart> bucketCharts(const Analysis& analysis);

// Per step, mean over ranks; forward and backward together.
[[nodiscard]] BarRows layerBars(const Analysis& analysis, const JobParallel& parallel);

// Elements of dispatches in a step: from each rank (row) to each rank (column). Without cells if split sizes
// were not recorded.
struct SendMatrix {
  HeatContents heat;
  std::vector<int> ranks; // by row and column
};
[[nodiscard]] SendMatrix sendMatrix(const Analysis& analysis, const JobParallel& parallel);

// The first of these steps (places in wholeStepWindows) that is kept, else the first.
[[nodiscard]] std::optional<std::size_t> shownStep(const Analysis& analysis, RankIndex rank,
                                                   const std::set<std::size_t>& steps);

} // namespace rankscope::ui
