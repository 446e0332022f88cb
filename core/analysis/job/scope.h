// SPDX-License-Identifier: GPL-3.0-or-later
// Creates an AnalysisScope for a time range, a range of steps, or some ranks of a job. Pure functions.
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <span>

namespace rankscope {

// The whole job.
[[nodiscard]] AnalysisScope wholeScope(const Analysis& analysis);

// The range, converted to each rank's clock.
[[nodiscard]] AnalysisScope scopeOfRange(const Analysis& analysis, JobRange job);

// From the begin of the first to the end of the last step with a number within [first, last], for each rank
// separately. Ranks without such a step are not in the scope.
[[nodiscard]] AnalysisScope scopeOfSteps(const Analysis& analysis, std::int64_t first, std::int64_t last);

// Restricts a scope to these ranks (numbers as in the tables).
[[nodiscard]] AnalysisScope onlyRanks(const Analysis& analysis, const AnalysisScope& scope,
                                      std::span<const int> ranks);

// Whether a range leaves out a part of a recording, so that what is missing may have been recorded.
[[nodiscard]] bool isOfRange(const Analysis& analysis);

// The intersection of both.
[[nodiscard]] AnalysisScope commonScope(const AnalysisScope& a, const AnalysisScope& b);

} // namespace rankscope
