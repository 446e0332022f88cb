// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/job_collectives.h"

#include <algorithm>
#include <utility>

namespace rankscope {

JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks) {
  JobCollectives job;
  const ClockAlignment recorded = recordedClocks(trace);
  // Whether ranks without a known host share a clock is unknown.
  const auto oneHost = [&](RankIndex a, RankIndex b) {
    return !trace.rank(a).host.empty() && trace.rank(a).host == trace.rank(b).host;
  };
  job.match = matchCollectives(trace, calls, recorded, oneHost);
  job.clocks = alignClocks ? estimateClocks(job.match, calls, recorded) : recorded;
  const bool corrected = std::ranges::any_of(
      job.clocks.ranks, [](const RankClock& rank) { return !rank.correction.changesNothing(); });
  const MatchCounts& counts = job.match.counts;
  if (corrected || (alignClocks && counts.partial + counts.unmatched > 0)) {
    const auto aligned = [&](RankIndex a, RankIndex b) {
      return job.clocks.unconnectedDomains == 0 || oneHost(a, b);
    };
    job.match = {}; // not in memory twice
    job.match = matchCollectives(trace, calls, job.clocks, aligned);
  }
  job.clocks = judgedClocks(job.match, std::move(job.clocks));
  return job;
}

} // namespace rankscope
