// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a job that people ask about: a range of its time, a range of steps, some of the
// ranks. Pure functions that make the AnalysisScope for it.
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <span>

namespace rankscope {

// Everything.
[[nodiscard]] AnalysisScope wholeScope(const Analysis& analysis);

// The range on each rank's own clock.
[[nodiscard]] AnalysisScope scopeOfRange(const Analysis& analysis, JobRange job);

// From the begin of the first to the end of the last step whose number is within [first, last], of each rank
// by itself. A rank without such a step is not in the scope.
[[nodiscard]] AnalysisScope scopeOfSteps(const Analysis& analysis, std::int64_t first, std::int64_t last);

// Of the scope only these ranks (numbers as in the tables).
[[nodiscard]] AnalysisScope onlyRanks(const Analysis& analysis, const AnalysisScope& scope,
                                      std::span<const int> ranks);

// The intersection of both.
[[nodiscard]] AnalysisScope commonScope(const AnalysisScope& a, const AnalysisScope& b);

} // namespace rankscope
