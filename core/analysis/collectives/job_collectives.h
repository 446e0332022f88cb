// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a job together with the clocks that they were timed by: matched once with the clocks as
// recorded, which gives the corrections, and once more with the corrected clocks where that can settle what
// order alone could not. Constant after it was made.
#pragma once

#include "core/analysis/collectives/clock_estimate.h"
#include "core/analysis/collectives/collective_match.h"

namespace rankscope {

struct JobCollectives {
  ClockAlignment clocks; // what was applied: no corrections when it was not asked to align
  CollectiveMatch match; // on those clocks
};

[[nodiscard]] JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks);

} // namespace rankscope
