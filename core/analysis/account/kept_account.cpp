// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/kept_account.h"

#include "core/analysis/job/cut_ranks.h"

#include <algorithm>
#include <map>

namespace rankscope {

namespace {

// A step of a rank and the times of its leaves.
struct Sample {
  RankIndex rank;
  KeptWindow window;
  LeafTimes times;
};

using SamplesByStep = std::map<std::size_t, std::vector<Sample>>; // by step of the job

SamplesByStep samplesOfSteps(const Analysis& analysis, const JobAccount& account, StepStatus status) {
  SamplesByStep samples;
  const KeptSteps& kept = analysis.keptSteps();
  for (const RankIndex rank : wholeRanks(analysis)) {
    const StepWindows& whole = analysis.wholeStepWindows(rank);
    if (!whole.areSteps()) continue;
    std::size_t at = 0;
    for (const StepAccount& step : account.of(rank).steps) {
      while (at < whole.steps.size() && whole.steps[at].range != step.range) ++at;
      if (at == whole.steps.size()) break;
      const std::size_t place = kept.stepOfRank[rank.value][at++];
      if (kept.steps[place].status != status) continue;
      samples[place].push_back({rank, {step.number, step.range}, step.times});
    }
  }
  return samples;
}

// What was recorded of each rank within its window is one step.
SamplesByStep samplesOfWindows(const Analysis& analysis, const JobAccount& account) {
  SamplesByStep samples;
  for (const RankIndex rank : wholeRanks(analysis)) {
    const TimePieces& pieces = account.of(rank).pieces;
    const TimeRange range = pieces.range().clippedTo(analysis.window(rank).ns());
    if (range.empty()) continue;
    samples[0].push_back({rank, {Step::kUnknownNumber, range}, pieces.within(range)});
  }
  return samples;
}

} // namespace

double KeptAccount::timeOf(std::string_view leaf) const {
  double time = 0;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    if (isUnder(static_cast<Leaf>(i), leaf)) time += leafTimes[i];
  }
  return time;
}

KeptAccount keptAccount(const Analysis& analysis, const JobAccount& account) {
  KeptAccount kept;
  kept.windows.resize(analysis.trace().ranks().size());
  SamplesByStep samples = samplesOfSteps(analysis, account, StepStatus::Kept);
  // Where the other profiler's recordings alone are asked about, they stand for themselves.
  if (samples.empty()) samples = samplesOfSteps(analysis, account, StepStatus::Twice);
  kept.areSteps = !samples.empty();
  if (samples.empty()) samples = samplesOfWindows(analysis, account);
  kept.steps = samples.size();
  for (const auto& [place, members] : samples) {
    const double weight = 1.0 / static_cast<double>(samples.size() * members.size());
    for (const Sample& sample : members) {
      kept.windows[sample.rank.value].push_back(sample.window);
      kept.stepTime += weight * static_cast<double>(sample.window.range.length());
      for (const LeafTime& part : sample.times) {
        kept.leafTimes[static_cast<std::size_t>(part.leaf)] += weight * static_cast<double>(part.time);
        kept.classTimes[static_cast<std::size_t>(part.timeClass)] += weight * static_cast<double>(part.time);
      }
    }
  }
  return kept;
}

} // namespace rankscope
