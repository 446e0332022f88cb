// SPDX-License-Identifier: GPL-3.0-or-later
// From a chart over steps to a step in the timeline. UI thread; O(ranks * steps).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <optional>

namespace rankscope::ui {

class TraceSession;

// The range of a rank's step; empty if it has no such step.
[[nodiscard]] std::optional<JobRange> placeOfStep(const Analysis& analysis, RankIndex rank,
                                                  std::int64_t number);
// The rank with the longest step of that number; invalid: no rank has it.
[[nodiscard]] RankIndex longestRankIn(const Analysis& analysis, std::int64_t number);
// Selects a step and fits the timeline's window to it. False: the rank has no such step.
bool revealStep(TraceSession& session, const Analysis& analysis, RankIndex rank, std::int64_t number);

} // namespace rankscope::ui
