// SPDX-License-Identifier: GPL-3.0-or-later
// Call tree of the host, with equal calls merged: Python frames, annotations, operators and runtime calls. A
// node is a name below a parent node; calls of the same name from the same node share it, across threads.
// Every event of a host thread has a node. Used for flame graphs, modules and groups of operators.
// The caller of an event is the innermost event of its thread that contains it completely. Among equal
// ranges, Python frames are outermost, then annotations, then the upper rows. An event that crosses the end
// of another is not nested in it. A runtime call belongs to the event that is open at its begin, because
// times truncated to microseconds may let it extend further. Plain immutable data. O(n log rows) over host
// events; 4 bytes per event.
#pragma once

#include "core/model/rank_trace.h"

#include <cstdint>
#include <vector>

namespace rankscope {

struct CallTree {
  static constexpr std::uint32_t kRoot = 0; // no event; parent of the outermost calls of all threads

  struct Node {
    std::uint32_t parent = kRoot; // precedes this node in `nodes`
    NameId name;                  // invalid for the root
    EventKind kind = EventKind::Other;
  };

  std::vector<Node> nodes;           // by first call: threads in track order, then by time
  std::vector<std::uint32_t> nodeOf; // by event, up to the last one of a thread; kRoot: not on a host thread

  // The node of an event; kRoot for events that are not on a host thread.
  [[nodiscard]] std::uint32_t of(EventIndex event) const {
    return event.value < nodeOf.size() ? nodeOf[event.value] : kRoot;
  }
};

[[nodiscard]] CallTree callTree(const RankTrace& trace);

} // namespace rankscope
