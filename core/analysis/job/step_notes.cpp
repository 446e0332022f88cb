// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/step_notes.h"

#include "core/analysis/job/recording_advice.h"
#include <algorithm>

namespace rankscope {

namespace {

bool hasSteps(const Analysis& analysis) {
  return std::ranges::any_of(analysis.ranks(),
                             [&](RankIndex rank) { return analysis.wholeStepWindows(rank).areSteps(); });
}

} // namespace

std::string stepAdvice(const TraceSet& trace) {
  return recordedByNsight(trace) ? "open an NVTX range such as \"step 12\" around each step or iteration"
                                 : "call profiler.step() after each step or iteration";
}

std::string recordStepsAdvice(const TraceSet& trace) {
  return recordedByNsight(trace)
             ? "Record three or more steps of the training loop after its warm-up, each in an NVTX "
               "range such as \"step 12\"."
             : "Record steps of the training loop: torch.profiler.schedule(wait=1, warmup=2, "
               "active=3) and profiler.step().";
}

std::string noMarkedSteps(const Analysis& analysis) {
  const std::string advice = stepAdvice(analysis.trace());
  if (!hasSteps(analysis)) return "No steps were recorded: " + advice + ".";
  return "Steps were found by what repeats, not marked, so this is of the whole recording. For figures per "
         "step, " +
         advice + ".";
}

std::string whyNoSteps(const Analysis& part) {
  return hasSteps(part) ? "No step begins in the range. Select a range with the beginning of a step."
                        : noMarkedSteps(part);
}

} // namespace rankscope
