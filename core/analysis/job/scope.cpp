// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/scope.h"

#include <algorithm>

namespace rankscope {

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
