// SPDX-License-Identifier: GPL-3.0-or-later
// Sums by name, kind and rank of the events in a time range on selected tracks, or of search hits. Ranges are
// half-open. An event that extends beyond the range counts once, with the part inside. Busy times of a rank
// are unions; the busy time of a job is the sum over its ranks. Exact integers, independent of the number of
// threads. O(events in range), one rank per thread; pure functions.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/trace_set.h"
#include "core/query/search_hits.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

// Selected tracks of a rank.
struct RankTracks {
  RankIndex rank;
  std::vector<TrackIndex> tracks; // ascending

  bool operator==(const RankTracks&) const = default;
};

// What to examine: a range on these tracks; the whole job if there are none.
struct RangeScope {
  TimeRange range;
  std::vector<RankTracks> tracks;  // by rank
  std::vector<TimeNs> shifts = {}; // by RankIndex: added to the rank's times before comparison; empty: 0

  bool operator==(const RangeScope&) const = default;
};

struct EventSums {
  std::uint64_t count = 0;
  std::uint64_t cut = 0; // events that extend beyond the range
  ExactSum total;        // of the parts inside the range
  ExactSum self;         // total without nested events on lower rows; equal to total for device events
  TimeNs shortest = 0;   // of the parts inside the range
  TimeNs longest = 0;
  EventRef longestEvent; // the first among equals, by (rank, event)

  // Rounded to nanoseconds, halves up; 0 without events.
  [[nodiscard]] TimeNs mean() const;
};

struct NameSums {
  NameId name;
  EventKind kind = EventKind::Other;
  EventSums sums;
};

struct KindSums {
  EventKind kind = EventKind::Other;
  EventSums sums;
  ExactSum busy; // union of the times of this kind, summed over ranks
};

struct RankSums {
  RankIndex rank;
  EventSums sums;
  // Union of operators, calls and device events; annotations and Python frames enclose everything, so they
  // are excluded. If there are no other events: union of all.
  TimeNs busy = 0;
  TimeNs host = 0;          // operators, runtime calls and host collectives
  TimeNs device = 0;        // kernels, collectives, memcpy and memset
  TimeNs compute = 0;       // kernels
  TimeNs communication = 0; // collectives
  TimeNs exposed = 0;       // collectives while no kernel runs on the selected tracks
};

struct RangeStatistics {
  RangeScope scope;            // for hits: from the first begin to the last end
  EventSums sums;              // of all events
  std::vector<NameSums> names; // by total descending, then by (name, kind)
  std::vector<KindSums> kinds; // by EventKind, only kinds with events
  std::vector<RankSums> ranks; // by RankIndex, only examined ranks
};

// Empty if cancelled.
[[nodiscard]] std::optional<RangeStatistics>
rangeStatistics(const TraceSet& traces, RangeScope scope, unsigned threads, const std::atomic<bool>& cancel);
// For whole events. Self equals total, because events nested in a hit need not be hits.
[[nodiscard]] std::optional<RangeStatistics> hitStatistics(const TraceSet& traces, const SearchHits& hits,
                                                           unsigned threads, const std::atomic<bool>& cancel);

// Events of a row that overlap the range; events without duration if they begin in it. O(log n).
[[nodiscard]] std::pair<EventIndex, EventIndex> eventsWithin(const RankTrace& trace, const Row& row,
                                                             TimeRange range);

} // namespace rankscope
