// SPDX-License-Identifier: GPL-3.0-or-later
// Which operator encloses which event of its thread, and which operator each device event was launched from.
// Operators are the cpu_op rows of the host: CpuOp, and of HostCollective what is an operator itself
// (record_param_comms, c10d::*), not annotations like nccl:all_reduce. An operator or annotation belongs to
// the innermost operator that contains it whole (one that crosses an end is its sibling); a runtime call to
// the innermost one that is open when the call begins, because times cut to microseconds let a call stick
// out. One sweep over the rows of each thread, O(n log rows); 4 bytes a host and 4 a device event.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <vector>

namespace rankscope {

struct OperatorTree {
  std::vector<EventIndex> enclosing; // by event, up to the last thread's; invalid at the top
  std::vector<EventIndex> owners;    // by device event; invalid when no operator is known

  // REQUIRES: event is of a track of kind Thread.
  [[nodiscard]] EventIndex enclosingOf(EventIndex event) const { return enclosing[event.value]; }
};

[[nodiscard]] bool isOperator(const RankTrace& trace, const StringTable& names, EventIndex event);

[[nodiscard]] OperatorTree operatorTree(const RankTrace& trace, const StringTable& names);

// The operator that launched each device event, by its place behind deviceBegin: the innermost one at its
// launch; where no launch was recorded, the one that the event's External id names, in recordings in which
// those ids are not the correlations (PyTorch 1.13 to 2.0 wrote these). enclosing as in OperatorTree.
[[nodiscard]] std::vector<EventIndex> owningOperators(const RankTrace& trace, const StringTable& names,
                                                      const std::vector<EventIndex>& enclosing);

// The innermost operator of the same thread that is open at each record of trace.memory; invalid where none
// is.
[[nodiscard]] std::vector<EventIndex> memoryOwners(const RankTrace& trace, const StringTable& names);

// Calls visit(EventIndex) for every operator call, in the order of the events: callers before what they call.
template <class Visit> void forEachOperator(const RankTrace& trace, const StringTable& names, Visit&& visit) {
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (isOperator(trace, names, event)) visit(event);
    }
  }
}

// Inline: asked for every event of a host.
[[nodiscard]] bool isOperatorName(std::string_view hostCollective);

inline bool isOperator(const RankTrace& trace, const StringTable& names, EventIndex event) {
  const EventKind kind = trace.events.kind[event];
  return kind == EventKind::CpuOp ||
         (kind == EventKind::HostCollective && isOperatorName(names[trace.events.name[event]]));
}

} // namespace rankscope
