// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job_collectives.h"

#include <algorithm>
#include <utility>

namespace rankscope {

JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks) {
  JobCollectives job;
  const ClockAlignment recorded = recordedClocks(trace);
  const auto oneDomain = [&](RankIndex a, RankIndex b) {
    return recorded.ranks[a.value].domain == recorded.ranks[b.value].domain;
  };
  job.match = matchCollectives(trace, calls, recorded, oneDomain);
  job.clocks = recorded;
  if (alignClocks) {
    job.clocks = estimateClocks(job.match, calls, recorded);
    const bool corrected = std::ranges::any_of(
        job.clocks.ranks, [](const RankClock& rank) { return rank.correction != ClockCorrection{}; });
    if (corrected) {
      const auto always = [&](RankIndex a, RankIndex b) {
        return job.clocks.unconnectedDomains == 0 || oneDomain(a, b);
      };
      job.match = matchCollectives(trace, calls, job.clocks, always);
    }
  }
  job.clocks = judgedClocks(job.match, std::move(job.clocks));
  return job;
}

} // namespace rankscope
