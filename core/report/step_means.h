// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as means over ranks, for charts with more ranks than fit; and the choice of representative steps.
// Pure functions; O(ranks * steps), choosing is O(n log n).
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
  std::size_t ranks = 0;                               // number of ranks with this step
  StepStatus status = StepStatus::Kept;                // whether means over steps include it
  TimeNs duration = 0;                                 // mean over these ranks, like the categories
  std::array<TimeNs, kStepCategoryCount> categories{}; // by StepCategory
  TimeNs shortest = 0;                                 // over these ranks
  TimeNs longest = 0;
  RankIndex slowest;
  JobRange place; // from the first begin to the last end over these ranks
};

// By capture, then in time order. of: only this rank; invalid: mean over all ranks in scope.
[[nodiscard]] std::vector<StepMean> stepMeans(const Analysis& analysis, RankIndex of = {});

// Indices of the slowest, the median and the fastest steps, a third of maxCount each, without duplicates; all
// steps in order if there are at most maxCount.
[[nodiscard]] std::vector<std::size_t> representativeSteps(const std::vector<StepMean>& steps,
                                                           std::size_t maxCount);

} // namespace rankscope
