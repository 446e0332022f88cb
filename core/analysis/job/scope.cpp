// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/scope.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope {

namespace {

// Places in KeptSteps::steps, half open.
struct StepRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool kept = true; // false: none is, so it is of all

  [[nodiscard]] std::size_t length() const { return end - begin; }
};

// By capture; of the steps that are asked about.
std::map<int, StepRun> longestRuns(const KeptSteps& kept, const std::vector<bool>& asked) {
  std::map<int, StepRun> longest;
  for (const bool keptOnly : {true, false}) {
    std::map<int, StepRun> found;
    StepRun run{0, 0, keptOnly};
    for (std::size_t i = 0; i < kept.steps.size(); ++i) {
      if (i > 0 && kept.steps[i].capture != kept.steps[i - 1].capture) run.begin = i;
      if (!asked[i] || (keptOnly && !kept.steps[i].kept())) {
        run.begin = i + 1;
        continue;
      }
      run.end = i + 1;
      StepRun& known = found[kept.steps[i].capture];
      if (run.length() > known.length()) known = run;
    }
    longest.merge(found); // what is kept comes first
  }
  return longest;
}

} // namespace

AnalysisScope wholeScope(const Analysis& analysis) {
  AnalysisScope scope;
  for (std::size_t i = 0; i < analysis.trace().ranks().size(); ++i) {
    scope.ranks.emplace_back(i);
    scope.windows.push_back(kWholeRecording);
  }
  return scope;
}

AnalysisScope scopeOfRange(const Analysis& analysis, JobRange job) {
  AnalysisScope scope = wholeScope(analysis);
  for (std::size_t i = 0; i < scope.ranks.size(); ++i)
    scope.windows[i] = analysis.clocks().of(scope.ranks[i]).fromJob(job);
  return scope;
}

AnalysisScope scopeOfSteps(const Analysis& analysis, std::int64_t first, std::int64_t last) {
  AnalysisScope scope;
  for (std::size_t i = 0; i < analysis.trace().ranks().size(); ++i) {
    RankRange window;
    for (const StepWindow& step : analysis.stepWindows(RankIndex(i)).steps) {
      if (first <= step.number && step.number <= last) window = window.unitedWith(RankRange::of(step.range));
    }
    if (window.empty()) continue;
    scope.ranks.emplace_back(i);
    scope.windows.push_back(window);
  }
  return scope;
}

AnalysisScope scopeOfKeptSteps(const Analysis& analysis) {
  const KeptSteps& kept = analysis.keptSteps();
  // Of each rank: its steps in scope, by place in the job's.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> ofRanks;
  std::vector<bool> asked(kept.steps.size());
  for (const RankIndex rank : analysis.ranks()) {
    auto& own = ofRanks.emplace_back();
    const StepWindows& whole = analysis.wholeStepWindows(rank);
    if (!whole.areSteps()) continue;
    for (std::size_t i = 0; i < whole.steps.size(); ++i) {
      if (!analysis.window(rank).contains(RankTime(whole.steps[i].range.begin))) continue;
      own.emplace_back(kept.stepOfRank[rank.value][i], i);
      asked[own.back().first] = true;
    }
  }
  const std::map<int, StepRun> runs = longestRuns(kept, asked);
  AnalysisScope scope;
  if (runs.empty()) return scope;
  for (std::size_t r = 0; r < ofRanks.size(); ++r) {
    const RankIndex rank = analysis.ranks()[r];
    const auto run = runs.find(analysis.trace().rank(rank).capture);
    RankRange window;
    for (const auto& [place, i] : ofRanks[r]) {
      if (run == runs.end() || place < run->second.begin || place >= run->second.end) continue;
      if (run->second.kept && kept.status(rank.value, i) != StepStatus::Kept) continue;
      window = window.unitedWith(RankRange::of(analysis.wholeStepWindows(rank).steps[i].range));
    }
    scope.ranks.push_back(rank);
    scope.windows.push_back(window);
  }
  return scope;
}

AnalysisScope onlyRanks(const Analysis& analysis, const AnalysisScope& scope, std::span<const int> ranks) {
  AnalysisScope result;
  for (std::size_t i = 0; i < scope.ranks.size(); ++i) {
    if (std::ranges::find(ranks, analysis.trace().rank(scope.ranks[i]).rank) == ranks.end()) continue;
    result.ranks.push_back(scope.ranks[i]);
    result.windows.push_back(scope.windows[i]);
  }
  return result;
}

bool isOfRange(const Analysis& analysis) {
  return std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
    const TimeRange window = analysis.window(rank).ns();
    const TimeRange extent = analysis.trace().rank(rank).trace->extent;
    return window.begin > extent.begin || window.end < extent.end;
  });
}

AnalysisScope commonScope(const AnalysisScope& a, const AnalysisScope& b) {
  AnalysisScope result;
  for (std::size_t i = 0; i < a.ranks.size(); ++i) {
    const auto same = std::ranges::find(b.ranks, a.ranks[i]);
    if (same == b.ranks.end()) continue;
    result.ranks.push_back(a.ranks[i]);
    result.windows.push_back(
        a.windows[i].clippedTo(b.windows[static_cast<std::size_t>(same - b.ranks.begin())]));
  }
  return result;
}

} // namespace rankscope
