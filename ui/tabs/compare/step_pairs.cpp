// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/step_pairs.h"

#include "ui/base/ui_text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ui {

namespace {

// The kept steps of a rank, in their order.
std::vector<const SideStep*> keptStepsOf(const SideFacts& side, std::int64_t rank) {
  std::vector<const SideStep*> steps;
  for (const SideStep& step : side.steps) {
    if (step.rank == rank && step.index.valid() && side.samples[step.sample].kept()) steps.push_back(&step);
  }
  return steps;
}

AlignedSide alignedSide(const std::shared_ptr<const Analysis>& analysis, const SideStep& step) {
  AlignedSide side;
  side.analysis = analysis;
  side.rank = step.index;
  side.range = step.range;
  side.title = step.number == Step::kUnknownNumber ? tr("rank %1").arg(step.rank)
                                                   : tr("rank %1, step %2").arg(step.rank).arg(step.number);
  fillLanes(side);
  // Here, so that painting finds them.
  static_cast<void>(analysis->wholePhases(step.index));
  static_cast<void>(analysis->wholeActivity(step.index));
  return side;
}

} // namespace

StepPairs stepPairs(const Comparison& comparison, const std::shared_ptr<const Analysis>& a,
                    const std::shared_ptr<const Analysis>& b, std::int64_t rank, std::size_t position) {
  StepPairs result;
  const std::vector<int>& ranksA = comparison.a.identity.ranks;
  const std::vector<int>& ranksB = comparison.b.identity.ranks;
  const std::set<std::int64_t> ofB(ranksB.begin(), ranksB.end());
  for (const int one : ranksA) {
    if (ofB.contains(one)) result.ranks.push_back(one);
  }
  // Of sides without a rank in common, the first of each.
  const bool common = !result.ranks.empty();
  if (!common && !ranksA.empty()) result.ranks.push_back(ranksA.front());
  if (result.ranks.empty() || ranksB.empty()) return result;
  const bool known = std::ranges::find(result.ranks, rank) != result.ranks.end();
  const std::int64_t rankA = known ? rank : result.ranks.front();
  const std::int64_t rankB = common ? rankA : ranksB.front();
  const auto stepsA = keptStepsOf(comparison.a, rankA);
  const auto stepsB = keptStepsOf(comparison.b, rankB);
  result.positions = std::min(stepsA.size(), stepsB.size());
  if (result.positions == 0) return result;
  const std::size_t at = std::clamp<std::size_t>(position, 1, result.positions) - 1;
  AlignedPair& pair = result.pair;
  pair.a = alignedSide(a, *stepsA[at]);
  pair.b = alignedSide(b, *stepsB[at]);
  pair.calls = std::make_shared<const CallAlignment>(
      alignedCalls({a.get(), pair.a.rank, pair.a.range}, {b.get(), pair.b.rank, pair.b.range}));
  return result;
}

std::size_t typicalPair(const Comparison& comparison, std::span<const std::size_t> parts) {
  const auto sumsOf = [&](const SideFacts& side) {
    std::vector<double> sums;
    for (const SideSample& sample : side.samples) {
      if (!sample.kept()) continue;
      double& sum = sums.emplace_back(0.0);
      for (const std::size_t part : parts) sum += sample.leaves[part];
    }
    return sums;
  };
  std::vector<double> differences = sumsOf(comparison.b);
  const std::vector<double> ofA = sumsOf(comparison.a);
  differences.resize(std::min(differences.size(), ofA.size()));
  if (differences.empty()) return 0;
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= ofA[i];
  const double median = summaryOf(differences).median;
  const auto nearest =
      std::ranges::min_element(differences, {}, [&](double one) { return std::abs(one - median); });
  return static_cast<std::size_t>(nearest - differences.begin()) + 1;
}

} // namespace rankscope::ui
