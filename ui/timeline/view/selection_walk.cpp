// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/selection_walk.h"

#include "ui/timeline/view/slice_steps.h"

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

// Order of events by begin, then by row.
using Place = std::pair<TimeNs, std::uint32_t>;

EventIndex ofName(const RankTrace& trace, EventIndex from, bool forward) {
  const EventColumns& events = trace.events;
  const NameId name = events.name[from];
  const Place here{events.begin[from], from.value};
  EventIndex best;
  const auto placeOf = [&](EventIndex event) { return Place{events.begin[event], event.value}; };
  const auto isBeyondBest = [&](EventIndex event) {
    return best.valid() && (forward ? placeOf(event) >= placeOf(best) : placeOf(event) <= placeOf(best));
  };
  for (std::size_t i = 0; i < trace.rows.size(); ++i) {
    const Row& row = trace.rows[i];
    const auto begins = events.begin.span().subspan(row.firstEvent.value, row.size());
    if (forward) {
      const auto at = std::ranges::lower_bound(begins, here.first) - begins.begin();
      for (EventIndex event(row.firstEvent.value + static_cast<std::size_t>(at)); event < row.endEvent;
           ++event.value) {
        if (isBeyondBest(event)) break;
        if (events.name[event] != name || placeOf(event) <= here) continue;
        best = event;
        break;
      }
    } else {
      const auto end = std::ranges::upper_bound(begins, here.first) - begins.begin();
      for (auto left = static_cast<std::size_t>(end); left > 0; --left) {
        const EventIndex event(row.firstEvent.value + left - 1);
        if (isBeyondBest(event)) break;
        if (events.name[event] != name || placeOf(event) >= here) continue;
        best = event;
        break;
      }
    }
  }
  return best;
}

} // namespace

EventRef walked(const TraceSet& traces, EventRef from, Walk walk) {
  const RankTrace& trace = *traces.rank(from.rank).trace;
  EventIndex to;
  switch (walk) {
  case Walk::Next:
    to = nextInRow(trace, from.event);
    break;
  case Walk::Previous:
    to = previousInRow(trace, from.event);
    break;
  case Walk::Parent:
    to = trace.parentOf(from.event);
    break;
  case Walk::Child:
    to = firstChild(trace, from.event);
    break;
  case Walk::NextOfName:
  case Walk::PreviousOfName:
    to = ofName(trace, from.event, walk == Walk::NextOfName);
    break;
  }
  return to.valid() ? EventRef{from.rank, to} : EventRef{};
}

} // namespace rankscope::ui
