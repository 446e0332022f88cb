// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a rank's host threads matter to its devices and to collectives of the host: the outermost
// calls that launch, wait, allocate or record events, operators that start or await collectives, loads of
// data, and the runs of a thread. Pure; one pass over the host's events.
#pragma once

#include "core/analysis/activity/host_threads.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope {

// A hole between operators up to here does not end a run of a thread.
inline constexpr TimeNs kRunHole = 20'000;

enum class GraphCallRole : std::uint8_t {
  Other,
  Launch,          // launches work, or a graph of it
  Synchronize,     // waits for the device
  Copy,            // may wait for its copy
  Free,            // waits for all of the device when it waits
  Allocate,        // takes time of the driver
  RecordEvent,     // marks a place on a stream
  AwaitEvent,      // makes a stream wait for such a place
  StartCollective, // starts one that a thread of the backend runs
  AwaitCollective, // waits for one of these
};

struct GraphCall {
  EventIndex event; // the outermost row
  GraphCallRole role = GraphCallRole::Other;
};

struct GraphThread {
  std::size_t thread = 0;              // of HostThreads::threads
  std::vector<GraphCall> calls;        // by begin; none contains another
  std::vector<TimeRange> loads;        // by begin, disjoint
  std::vector<TimeRange> runs;         // by begin, disjoint
  std::vector<EventIndex> collectives; // of a rank without devices, by begin
  bool backend = false;                // runs collectives that other threads started, and nothing else
};

struct GraphThreads {
  std::vector<GraphThread> threads; // those that count, in the order of HostThreads
  // Rows that launch, ascending, with the outermost call that they are in.
  std::vector<std::pair<EventIndex, EventIndex>> outermost;
  std::size_t main = HostThreads::kNone; // position in threads
};

// collectives: events that are collectives of the host; none where a device communicates.
[[nodiscard]] GraphThreads graphThreads(const RankTrace& trace, const StringTable& names,
                                        const HostThreads& host, const std::vector<EventIndex>& collectives);

} // namespace rankscope
