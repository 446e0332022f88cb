// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/job_collectives.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// The clocks that calls are matched on again, if that can resolve more. match: on the clocks as recorded.
std::optional<ComparableClocks> secondMatch(const CollectiveMatch& match, const ClockAlignment& clocks) {
  const bool corrected = std::ranges::any_of(
      clocks.ranks, [](const RankClock& rank) { return !rank.correction.changesNothing(); });
  if (!corrected && match.counts.partial + match.counts.unmatched == 0) return std::nullopt;
  return clocks.unconnectedDomains == 0 ? ComparableClocks::All : ComparableClocks::OfHost;
}

} // namespace

JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, bool alignClocks) {
  const ProcessGroups groups = processGroupsOf(trace, calls);
  const std::vector<CallingRank> ranks = callingRanks(trace);
  const auto matchOn = [&](const ClockAlignment& clocks, ComparableClocks comparable) {
    return assembledMatch(trace, calls, groups, clocks,
                          matchedCalls(ranks, calls, groups, trace.names(), clocks, comparable));
  };
  JobCollectives job;
  const ClockAlignment recorded = recordedClocks(trace);
  job.match = matchOn(recorded, ComparableClocks::OfHost);
  job.clocks = alignClocks ? estimateClocks(job.match, calls, recorded) : recorded;
  if (const auto again = alignClocks ? secondMatch(job.match, job.clocks) : std::nullopt) {
    job.match = {}; // not in memory twice
    job.match = matchOn(job.clocks, *again);
  }
  job.clocks = judgedClocks(job.match, std::move(job.clocks));
  return job;
}

JobCollectives jobCollectives(const TraceSet& trace, CallsByRank calls, const ToldCollectives& told) {
  JobCollectives job;
  job.match = assembledMatch(trace, calls, processGroupsOf(trace, calls), told.clocks, told.matches);
  job.clocks = judgedClocks(job.match, told.clocks);
  return job;
}

ToldCollectives toldCollectives(const TraceSet& trace, CallsByRank calls, const ProcessGroups& groups,
                                const MatchCalls& match) {
  const ClockAlignment recorded = recordedClocks(trace);
  ToldCollectives told;
  told.matches = match(recorded, ComparableClocks::OfHost);
  const CollectiveMatch first = assembledMatch(trace, calls, groups, recorded, told.matches);
  told.clocks = estimateClocks(first, calls, recorded);
  if (const auto again = secondMatch(first, told.clocks)) told.matches = match(told.clocks, *again);
  return told;
}

} // namespace rankscope
