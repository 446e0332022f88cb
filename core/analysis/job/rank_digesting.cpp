// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/rank_digesting.h"

namespace rankscope {

DigestedResults digestedResults(const Analysis& analysis, RankIndex rank, const DigestBounds& bounds) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  DigestedResults results;
  results.activity = analysis.activity(rank);
  results.steps = analysis.steps(rank);
  results.stepWindows = analysis.wholeStepWindows(rank);
  results.stepFacts = stepFacts(trace, names, results.stepWindows, analysis.wholePhases(rank));
  results.stepBreakdown = analysis.stepBreakdown(rank);
  results.phases = analysis.wholePhases(rank);
  const bool onHost = trace.deviceBegin == trace.deviceEnd;
  if (onHost) results.hostActivity = hostActivity(trace, names, results.stepWindows);
  results.gpuParts = analysis.gpuParts(rank);
  results.gaps = analysis.gaps(rank);
  results.statistics = analysis.statistics(rank);
  results.kernels = analysis.kernels(rank);
  results.launches = analysis.launches(rank);
  results.collectiveCalls = analysis.collectiveCalls(rank);
  results.operators = analysis.operators(rank);
  results.memory = analysis.memory(rank);
  boundResults(results, onHost, bounds);
  return results;
}

} // namespace rankscope
