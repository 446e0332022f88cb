// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the operator that encloses each event of a thread, and the operator that launched each device event.
// Operators are host events of kind CpuOp, and those of kind HostCollective that are operators
// (record_param_comms, c10d::*), not annotations like nccl:all_reduce. An operator or annotation belongs to
// the innermost operator that contains it completely (one that crosses its end is a sibling). A runtime call
// belongs to the innermost operator open at its begin, because times truncated to microseconds may let it
// extend further. One sweep over the rows of each thread, O(n log rows); 4 bytes per host event and per
// device event.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <vector>

namespace rankscope {

struct OperatorTree {
  std::vector<EventIndex> enclosing; // by event, up to the last one of a thread; invalid at the top level
  std::vector<EventIndex> owners;    // by device event; invalid if unknown
  // Device events of CUDA graphs with the operator that their node was captured in, by event. A replay runs
  // long after this operator; its owner is the operator that launched the graph.
  struct Captured {
    EventIndex event;
    EventIndex op;
  };
  std::vector<Captured> captured;

  // REQUIRES: event is on a track of kind Thread.
  [[nodiscard]] EventIndex enclosingOf(EventIndex event) const { return enclosing[event.value]; }
  // Of a device event: the operator that it was captured in; invalid if it is of no graph, or if the
  // recording does not say. Binary search.
  [[nodiscard]] EventIndex captureOf(EventIndex deviceEvent) const;
  // Whose work a device event is: of the operator that it was captured in, else of its owner.
  // REQUIRES: trace.isDeviceEvent(deviceEvent).
  [[nodiscard]] EventIndex workOf(const RankTrace& trace, EventIndex deviceEvent) const;
};

[[nodiscard]] bool isOperator(const RankTrace& trace, const StringTable& names, EventIndex event);

[[nodiscard]] OperatorTree operatorTree(const RankTrace& trace, const StringTable& names);

// The operator that launched each device event, indexed relative to deviceBegin: the innermost one at its
// launch. Without a recorded launch: the one with the event's External id, in recordings where these ids are
// not correlation ids (PyTorch 1.13 to 2.0). enclosing: as in OperatorTree.
[[nodiscard]] std::vector<EventIndex> owningOperators(const RankTrace& trace, const StringTable& names,
                                                      const std::vector<EventIndex>& enclosing);

// The innermost operator of the same thread at each record of trace.memory; invalid if there is none.
[[nodiscard]] std::vector<EventIndex> memoryOwners(const RankTrace& trace, const StringTable& names);

// Calls visit(EventIndex) for every operator call in event order, so callers come before their callees.
template <class Visit> void forEachOperator(const RankTrace& trace, const StringTable& names, Visit&& visit) {
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (isOperator(trace, names, event)) visit(event);
    }
  }
}

// Inline, because it is called for every host event.
[[nodiscard]] bool isOperatorName(std::string_view hostCollective);

inline bool isOperator(const RankTrace& trace, const StringTable& names, EventIndex event) {
  const EventKind kind = trace.events.kind[event];
  return kind == EventKind::CpuOp ||
         (kind == EventKind::HostCollective && isOperatorName(names[trace.events.name[event]]));
}

} // namespace rankscope
