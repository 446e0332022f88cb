// SPDX-License-Identifier: GPL-3.0-or-later
// Who called whom on the host, event by event, and which event owns each instant of a thread. The caller of
// an event is the innermost event of its thread that contains it whole; of equal spans the earlier in the
// file is outside. An instant belongs to the event that began last of those that are open, so the own times
// of a thread's events add up to the union of its events, whether or not annotations cross frames. Events of
// the profiler itself, markers and memory records are not calls. Constant after it was made; O(n log n) for
// the host's events, 4 bytes an event and 24 a piece of own time.
#pragma once

#include "core/model/rank_trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct OwnTime {
  TimeRange range; // never empty
  EventIndex event;
};

struct NestedThread {
  TrackIndex track;      // the first of its tracks
  std::size_t first = 0; // its calls in CallNesting::calls
  std::size_t end = 0;
  std::size_t firstOwn = 0; // its pieces in CallNesting::own
  std::size_t endOwn = 0;
};

struct CallNesting {
  std::vector<EventIndex> parent; // by event up to the last call; invalid at the top
  std::vector<EventIndex> calls;  // by thread, callers before what they call
  std::vector<OwnTime> own;       // by thread, in order of time; they do not overlap
  std::vector<NestedThread> threads;

  // The caller of an event; invalid at the top, and of what is no call.
  [[nodiscard]] EventIndex parentOf(EventIndex event) const {
    return event.value < parent.size() ? parent[event.value] : EventIndex();
  }
};

// Whether events of this kind are calls of the host.
[[nodiscard]] bool isHostCall(EventKind kind);

[[nodiscard]] CallNesting callNesting(const RankTrace& trace);

} // namespace rankscope
