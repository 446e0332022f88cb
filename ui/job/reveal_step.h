// SPDX-License-Identifier: GPL-3.0-or-later
// From a chart over steps to a step in the timeline. UI thread; O(ranks * steps).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <optional>

namespace rankscope::ui {

class TraceSession;

// Where a rank's step of that number lies; nothing when it has none.
[[nodiscard]] std::optional<JobRange> placeOfStep(const Analysis& analysis, RankIndex rank,
                                                  std::int64_t number);
// The rank whose step of that number took the longest; invalid: no rank has it.
[[nodiscard]] RankIndex longestRankIn(const Analysis& analysis, std::int64_t number);
// Selects the step of a rank and fits the timeline's window to it. False: the rank has no such step.
bool revealStep(TraceSession& session, const Analysis& analysis, RankIndex rank, std::int64_t number);

} // namespace rankscope::ui
