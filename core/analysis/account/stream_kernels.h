// SPDX-License-Identifier: GPL-3.0-or-later
// The device events of a stream in order of time, whatever rows they lie in. O(n), where they overlap
// O(n log n).
#pragma once

#include "core/model/rank_trace.h"

#include <algorithm>
#include <span>
#include <vector>

namespace rankscope {

// Calls visit(std::span<const EventIndex>) for each stream that has any.
template <class Visit> void forEachStream(const RankTrace& trace, Visit&& visit) {
  std::vector<EventIndex> order;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream || track.firstEvent == track.endEvent) continue;
    order.clear();
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) order.push_back(event);
    if (track.rowCount > 1)
      std::ranges::stable_sort(order, {}, [&](EventIndex event) { return trace.events.begin[event]; });
    visit(std::span<const EventIndex>(order));
  }
}

} // namespace rankscope
