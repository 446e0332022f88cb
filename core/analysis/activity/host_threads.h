// SPDX-License-Identifier: GPL-3.0-or-later
// What each host thread of a rank was doing, made for asking of a range of time how much of it the thread
// spent waiting for the device, allocating, loading data, in operators, in Python. One pass over the host's
// events, O(log n) a question after it; constant.
#pragma once

#include "core/index/interval_set.h"
#include "core/index/longest_pyramid.h"
#include "core/index/time_tree.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <vector>

namespace rankscope {

// Calls of one sort on one thread, and the time they cover.
class HostCalls {
 public:
  HostCalls() = default;
  HostCalls(const RankTrace& trace, std::vector<EventIndex> events);

  [[nodiscard]] TimeNs coveredWithin(TimeRange range) const { return m_cover.coveredWithin(range); }
  // The call that takes most of the range; invalid when none lies in it.
  [[nodiscard]] EventIndex longestCallIn(const RankTrace& trace, TimeRange range) const;
  // The call that is running at t: it began before and ends at t or later.
  [[nodiscard]] EventIndex runningAt(const RankTrace& trace, TimeNs t) const;

 private:
  std::vector<EventIndex> m_events; // by begin; the next three at the same places
  std::vector<TimeNs> m_durations;
  LongestPyramid m_longest;
  TimeTree m_negativeEnds;
  IntervalSet m_cover;
};

struct HostThread {
  // One of a kind and thread at most; invalid when there is none.
  TrackIndex annotations;
  TrackIndex operators;
  TrackIndex python;
  bool mainThread = false;
  IntervalSet work;      // operators and runtime calls
  IntervalSet inPython;  // Python frames, whatever runs below them
  HostCalls waits;       // synchronizing calls, and memcpy calls that returned when the copy was done
  HostCalls allocations; // cudaMalloc, cudaFree, ...
  HostCalls loads;       // of the DataLoader
};

struct HostThreads {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<HostThread> threads;
  std::vector<std::size_t> ofTrack; // by TrackIndex; kNone for tracks of devices and others
  std::size_t main = kNone;
};

[[nodiscard]] HostThreads hostThreads(const RankTrace& trace, const StringTable& names);

} // namespace rankscope
