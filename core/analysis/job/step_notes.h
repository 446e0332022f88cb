// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about steps that were not marked. Pure functions; O(ranks).
#pragma once

#include "core/analysis/job/analysis.h"

#include <string>

namespace rankscope {

// "call profiler.step() after each step or iteration", or what marks steps for Nsight Systems.
[[nodiscard]] std::string stepAdvice(const TraceSet& trace);

// A sentence: how to record training steps at all.
[[nodiscard]] std::string recordStepsAdvice(const TraceSet& trace);

// Why costs are of the whole recording instead of a step, with advice: "No steps were recorded: ...", or that
// steps were found only by what repeats. Whether they begin in the range of the analysis is not asked.
[[nodiscard]] std::string noMarkedSteps(const Analysis& analysis);

// Why a part of the job has no steps: none begins in its range; or as above.
[[nodiscard]] std::string whyNoSteps(const Analysis& part);

} // namespace rankscope
