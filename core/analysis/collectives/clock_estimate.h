// SPDX-License-Identifier: GPL-3.0-or-later
// How the clocks of a job's hosts differ, read off its blocking collectives: no rank can end one before the
// last rank began, and all end it at nearly the same moment. Offset: the difference of ends in the middle;
// drift: its Theil-Sen slope, where it explains the differences better than none; residual: what is left;
// bounds: what causality allows. Ranks of a host share a clock unless their collectives prove otherwise.
// O(participants + hosts · samples).
#pragma once

#include "core/analysis/collectives/collective_match.h"
#include "core/model/clock_alignment.h"

namespace rankscope {

// The clocks as recorded: no correction, one domain a host. Ranks whose host is not known are taken to share
// one.
[[nodiscard]] ClockAlignment recordedClocks(const TraceSet& trace);

// match: made with `before`, whose domains are kept where the collectives allow it and split into their ranks
// where they do not.
[[nodiscard]] ClockAlignment estimateClocks(const CollectiveMatch& match, CallsByRank calls,
                                            const ClockAlignment& before);

// The same corrections as recorded, with residuals and feasibility as `match` shows them.
[[nodiscard]] ClockAlignment judgedClocks(const CollectiveMatch& match, ClockAlignment clocks);

} // namespace rankscope
