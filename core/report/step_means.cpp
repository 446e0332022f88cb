// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/step_means.h"

#include "core/analysis/job/cut_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace rankscope {

std::vector<StepMean> stepMeans(const Analysis& analysis, RankIndex of) {
  struct Sums {
    StepMean step; // without the means
    ExactSum duration;
    std::array<ExactSum, kStepCategoryCount> categories;
  };
  std::map<std::pair<int, std::int64_t>, Sums> steps;
  const bool areSteps = std::ranges::any_of(
      analysis.ranks(), [&](RankIndex rank) { return analysis.stepWindows(rank).areSteps(); });
  for (const RankIndex rank : of.valid() ? analysis.ranks() : wholeRanks(analysis)) {
    if (of.valid() && rank != of) continue;
    const StepWindows& windows = analysis.stepWindows(rank);
    if (areSteps && !windows.areSteps()) continue;
    const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
    const int capture = analysis.trace().rank(rank).capture;
    const std::vector<StepStatus> status = analysis.stepStatus(rank);
    for (std::size_t i = 0; i < windows.steps.size(); ++i) {
      const StepWindow& window = windows.steps[i];
      Sums& sums = steps[{capture, window.number}];
      StepMean& step = sums.step;
      const TimeNs duration = window.range.length();
      if (step.ranks == 0) step.shortest = duration;
      if (step.ranks == 0 || duration > step.longest) step.slowest = rank;
      step.number = window.number;
      step.capture = capture;
      if (areSteps) step.status = status[i];
      ++step.ranks;
      sums.duration += duration;
      step.shortest = std::min(step.shortest, duration);
      step.longest = std::max(step.longest, duration);
      for (std::size_t c = 0; c < kStepCategoryCount; ++c) sums.categories[c] += breakdown[i].categories[c];
      step.place = step.place.unitedWith(analysis.clocks().of(rank).toJob(RankRange::of(window.range)));
    }
  }
  std::vector<StepMean> result;
  for (auto& [key, sums] : steps) {
    const auto ranks = static_cast<TimeNs>(sums.step.ranks);
    const auto mean = [ranks](TimeNs sum) { return (sum + ranks / 2) / ranks; };
    sums.step.duration = mean(sums.duration);
    std::ranges::transform(sums.categories, sums.step.categories.begin(), mean);
    result.push_back(sums.step);
  }
  std::ranges::stable_sort(result, {},
                           [](const StepMean& step) { return std::tuple(step.capture, step.place.begin); });
  return result;
}

std::vector<std::size_t> representativeSteps(const std::vector<StepMean>& steps, std::size_t maxCount) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (steps.size() <= maxCount) return order;
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return steps[i].duration; });
  const std::size_t third = std::max<std::size_t>(1, maxCount / 3);
  std::vector<std::size_t> chosen;
  for (const std::size_t first : {std::size_t{0}, (order.size() - third) / 2, order.size() - third})
    for (std::size_t i = first; i < first + third; ++i) chosen.push_back(order[i]);
  return chosen;
}

} // namespace rankscope
