// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a job and its clocks. Calls are matched first on uncorrected clocks, which gives the
// corrections, and again on corrected clocks where that can resolve calls that order alone could not.
// Immutable.
#pragma once

#include "core/analysis/collectives/clock_estimate.h"
#include "core/analysis/collectives/collective_match.h"

namespace rankscope {

struct JobCollectives {
  ClockAlignment clocks; // the applied corrections; none if alignment is off
  CollectiveMatch match; // on those clocks
};

[[nodiscard]] JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks);

} // namespace rankscope
