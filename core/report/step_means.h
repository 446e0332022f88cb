// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of the mean rank: what a chart of the steps shows when there are more ranks than fit,
// and which of many steps are representative. Pure functions; O(ranks * steps), O(n log n) to choose.
#pragma once

#include "core/analysis/job/analysis.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

struct StepMean {
  std::int64_t number = 0;
  int capture = 1;
  std::size_t ranks = 0;                               // that have this step
  TimeNs duration = 0;                                 // mean over them, as are the categories
  std::array<TimeNs, kStepCategoryCount> categories{}; // by StepCategory
  TimeNs shortest = 0;                                 // of these ranks
  TimeNs longest = 0;
  RankIndex slowest;
  JobRange place; // from the first begin to the last end over these ranks
};

// By capture, then in order of time. of: that rank alone; invalid: the mean of all that are asked about.
[[nodiscard]] std::vector<StepMean> stepMeans(const Analysis& analysis, RankIndex of = {});

// Positions of the slowest, then of those around the median, then of the fastest steps, a third of `most`
// each and none twice; all, in their order, when there are no more than `most`.
[[nodiscard]] std::vector<std::size_t> representativeSteps(const std::vector<StepMean>& steps,
                                                           std::size_t maxCount);

} // namespace rankscope
