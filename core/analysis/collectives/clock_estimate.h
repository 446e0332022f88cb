// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the differences of the clocks of a job's hosts from its blocking collectives: no rank can end one
// before the last rank has begun, and all ranks end it at nearly the same time. Offset: median difference of
// ends. Drift: its Theil-Sen slope, if that explains the differences better than none. Residual: the
// remaining difference. Bounds: what causality allows. Ranks of a host share a clock unless their collectives
// contradict that. O(participants + hosts · samples).
#pragma once

#include "core/analysis/collectives/collective_match.h"
#include "core/model/clock_alignment.h"

namespace rankscope {

// Uncorrected clocks, one domain per host. Ranks with unknown hosts are assumed to share a host.
[[nodiscard]] ClockAlignment recordedClocks(const TraceSet& trace);

// match: computed with `before`. Domains of `before` are kept unless collectives contradict them; then they
// are split into ranks.
[[nodiscard]] ClockAlignment estimateClocks(const CollectiveMatch& match, CallsByRank calls,
                                            const ClockAlignment& before);

// The given corrections, with residuals and feasibility computed from `match`.
[[nodiscard]] ClockAlignment judgedClocks(const CollectiveMatch& match, ClockAlignment clocks);

} // namespace rankscope
