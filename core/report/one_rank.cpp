// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/one_rank.h"

#include "core/analysis/classify/name_traits.h"

#include <algorithm>

namespace rankscope {

namespace {

bool queuesCollectives(const RankTrace& trace, const StringTable& names) {
  if (trace.hasDeviceEvents()) return false;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    if (trace.events.kind[e] != EventKind::HostCollective) continue;
    const std::string_view name = names[trace.events.name[e]];
    if (isCollectiveSpan(name) && !isCollectiveOfHost(name)) return true;
  }
  return false;
}

} // namespace

bool callsUnrecordedCollectives(const Analysis& analysis) {
  const TraceSet& trace = analysis.trace();
  return std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
    return queuesCollectives(*trace.rank(rank).trace, trace.names());
  });
}

std::string_view noCollectivesNote(bool calls) {
  return calls ? "collectives were called, but their device time was not recorded"
               : "no collective was recorded";
}

bool hasOneRank(const Analysis& analysis) {
  const TraceSet& trace = analysis.trace();
  if (trace.worldSize()) return trace.worldSize() == 1;
  return !trace.ranks().empty() && std::ranges::all_of(analysis.ranks(), [&](RankIndex rank) {
    return trace.rank(rank).rank == trace.ranks().front().rank &&
           analysis.activity(rank).communication.totalLength() == 0 && analysis.collectiveCalls(rank).empty();
  }) && !callsUnrecordedCollectives(analysis);
}

} // namespace rankscope
