// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/owned_time.h"

#include "core/base/sort_runs.h"

#include <algorithm>
#include <utility>

namespace rankscope {

std::vector<OwnedTime> ownedTimesOf(std::vector<OwnedTime> events) {
  sortRuns(events, [](const OwnedTime& a, const OwnedTime& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.event < b.event;
  });
  // Events that run when this one begins began earlier, so they own the time until their end.
  std::size_t kept = 0;
  TimeNs owned = kAllTime.begin;
  for (const OwnedTime& event : events) {
    const TimeRange rest{std::max(event.range.begin, owned), event.range.end};
    if (rest.empty()) continue;
    owned = rest.end;
    events[kept++] = {rest, event.event};
  }
  events.resize(kept);
  return events;
}

OwnedTimes ownedTimes(const RankTrace& trace) {
  OwnedTimes times;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const OwnedTime whole{trace.events.range(event), event};
    if (whole.range.empty()) continue;
    switch (trace.events.kind[event]) {
    case EventKind::Kernel:
      times.compute.push_back(whole);
      break;
    case EventKind::Collective:
      times.communication.push_back(whole);
      break;
    case EventKind::Copy:
    case EventKind::Set:
      times.memory.push_back(whole);
      break;
    default:
      break;
    }
  }
  times.compute = ownedTimesOf(std::move(times.compute));
  times.communication = ownedTimesOf(std::move(times.communication));
  times.memory = ownedTimesOf(std::move(times.memory));
  return times;
}

} // namespace rankscope
