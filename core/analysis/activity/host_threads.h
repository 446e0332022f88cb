// SPDX-License-Identifier: GPL-3.0-or-later
// What each host thread of a rank did: how much of a time range it spent waiting for the device, allocating,
// loading data, in operators, or in Python. One pass over host events, then O(log n) per query; immutable.
#pragma once

#include "core/index/interval_set.h"
#include "core/index/longest_pyramid.h"
#include "core/index/time_tree.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <vector>

namespace rankscope {

// Calls of one kind on one thread, and the time they cover.
class HostCalls {
 public:
  HostCalls() = default;
  HostCalls(const RankTrace& trace, std::vector<EventIndex> events);

  [[nodiscard]] TimeNs coveredWithin(TimeRange range) const { return m_cover.coveredWithin(range); }
  // The call with the longest part in the range; invalid if there is none.
  [[nodiscard]] EventIndex longestCallIn(const RankTrace& trace, TimeRange range) const;
  // The call that began before t and ends at or after t.
  [[nodiscard]] EventIndex runningAt(const RankTrace& trace, TimeNs t) const;

 private:
  std::vector<EventIndex> m_events; // by begin; the next three vectors have the same order
  std::vector<TimeNs> m_durations;
  LongestPyramid m_longest;
  TimeTree m_negativeEnds;
  IntervalSet m_cover;
};

struct HostThread {
  // At most one track of each kind; invalid if there is none.
  TrackIndex annotations;
  TrackIndex operators;
  TrackIndex python;
  bool mainThread = false;
  IntervalSet work;      // operators and runtime calls
  IntervalSet inPython;  // Python frames, including what they call
  HostCalls waits;       // synchronizing calls, and memcpy calls that block until the copy is done
  HostCalls allocations; // cudaMalloc, cudaFree, ...
  HostCalls loads;       // by the DataLoader
};

struct HostThreads {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<HostThread> threads;
  std::vector<std::size_t> ofTrack; // by TrackIndex; kNone for other tracks, such as device tracks
  std::size_t main = kNone;
};

[[nodiscard]] HostThreads hostThreads(const RankTrace& trace, const StringTable& names);

} // namespace rankscope
