// SPDX-License-Identifier: GPL-3.0-or-later
// Who called whom on the host, with equal calls merged: a tree of Python frames, annotations, operators and
// runtime calls in which a node is a name below a node. Every event of a host thread has its node; calls of
// one name from one place share it, whatever their thread. Flame graphs, modules and the groups of operators
// are read from it.
// The caller of an event is the innermost event of its thread that contains it whole; of equal spans Python
// frames are outside annotations, these outside the rest, then the upper row is. An event that crosses the
// end of another is no part of it. A runtime call belongs to whatever is open when it begins, because times
// cut to microseconds let it stick out. Plain data, constant after callTree made it. O(n log rows) over the
// host events; 4 bytes for each of them.
#pragma once

#include "core/model/rank_trace.h"

#include <cstdint>
#include <vector>

namespace rankscope {

struct CallTree {
  static constexpr std::uint32_t kRoot = 0; // of no event: what every thread's outermost events lie below

  struct Node {
    std::uint32_t parent = kRoot; // before this node in `nodes`
    NameId name;                  // invalid of the root
    EventKind kind = EventKind::Other;
  };

  std::vector<Node> nodes;           // by first call: threads in the order of tracks, then by time
  std::vector<std::uint32_t> nodeOf; // by event up to the last one of a thread; kRoot: no event of a thread

  // The node of an event; kRoot of one that is on no host thread.
  [[nodiscard]] std::uint32_t of(EventIndex event) const {
    return event.value < nodeOf.size() ? nodeOf[event.value] : kRoot;
  }
};

[[nodiscard]] CallTree callTree(const RankTrace& trace);

} // namespace rankscope
