// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a job and its clocks. Calls are matched first on uncorrected clocks, which gives the
// corrections, and again on corrected clocks where that can resolve calls that order alone could not.
// Immutable.
#pragma once

#include "core/analysis/collectives/clock_estimate.h"
#include "core/analysis/collectives/collective_match.h"

#include <functional>
#include <vector>

namespace rankscope {

struct JobCollectives {
  ClockAlignment clocks; // the applied corrections; none if alignment is off
  CollectiveMatch match; // on those clocks
};

// What is known of them where other processes matched the calls.
struct ToldCollectives {
  ClockAlignment clocks;          // not yet judged
  std::vector<CallMatch> matches; // on those clocks
};

// Matches the calls of all groups, see matchedCalls.
using MatchCalls = std::function<std::vector<CallMatch>(const ClockAlignment&, ComparableClocks)>;

[[nodiscard]] JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks);
// From what was told.
[[nodiscard]] JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls,
                                            const ToldCollectives& told);
// What jobCollectives would find, with aligned clocks. match: is asked once or twice.
[[nodiscard]] ToldCollectives toldCollectives(const TraceSet& trace, CallsByRank calls,
                                              const ProcessGroups& groups, const MatchCalls& match);

} // namespace rankscope
