// SPDX-License-Identifier: GPL-3.0-or-later
// What happened within a range of time on some of the job's tracks, or in a set of hits: sums by name, by
// kind and by rank. Ranges are half-open; an event that reaches out of the range counts once and with the
// part of it that lies within. Busy times are unions, never sums of what overlaps; a job's busy time is the
// sum of its ranks'. Exact integers, the same for any number of threads. O(events within), a rank a thread;
// pure functions.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/trace_set.h"
#include "core/query/search_hits.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

// Some tracks of a rank.
struct RankTracks {
  RankIndex rank;
  std::vector<TrackIndex> tracks; // ascending

  bool operator==(const RankTracks&) const = default;
};

// Where one looks: within a range, on these tracks; without any on all of the job.
struct RangeScope {
  TimeRange range;
  std::vector<RankTracks> tracks;  // by rank
  std::vector<TimeNs> shifts = {}; // by RankIndex: added to a rank's times before they are compared; none: 0

  bool operator==(const RangeScope&) const = default;
};

struct EventSums {
  std::uint64_t count = 0;
  std::uint64_t cut = 0; // of them, those that reach out of the range
  ExactSum total;        // of what lies within the range
  ExactSum self;       // the same without what runs within them on the rows below; of device events all of it
  TimeNs shortest = 0; // of what lies within
  TimeNs longest = 0;
  EventRef longestEvent; // the first one of equals, by (rank, event)

  // To the nanosecond, halves up; 0 without events.
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
  ExactSum busy; // when at least one of the kind ran, summed over ranks
};

struct RankSums {
  RankIndex rank;
  EventSums sums;
  // When an operator, a call or the device was at work: annotations and Python frames lie around everything.
  // Where there is none of these, when there was anything.
  TimeNs busy = 0;
  TimeNs host = 0;          // operators, calls and collectives of the host
  TimeNs device = 0;        // kernels, collectives, memcpy and memset
  TimeNs compute = 0;       // kernels
  TimeNs communication = 0; // collectives
  TimeNs exposed = 0;       // collectives while no kernel ran on the tracks that were looked at
};

struct RangeStatistics {
  RangeScope scope;            // of hits: the range from the first begin to the last end
  EventSums sums;              // of everything
  std::vector<NameSums> names; // by total, the largest first, then by (name, kind)
  std::vector<KindSums> kinds; // by EventKind, those with events
  std::vector<RankSums> ranks; // by RankIndex, those that were looked at
};

// Nothing when cancelled.
[[nodiscard]] std::optional<RangeStatistics>
rangeStatistics(const TraceSet& traces, RangeScope scope, unsigned threads, const std::atomic<bool>& cancel);
// Of whole events; self is their total, for what runs within a hit need not be one.
[[nodiscard]] std::optional<RangeStatistics> hitStatistics(const TraceSet& traces, const SearchHits& hits,
                                                           unsigned threads, const std::atomic<bool>& cancel);

// The events of a row that a range holds at least a part of; of those without duration, those that begin
// within it. O(log n).
[[nodiscard]] std::pair<EventIndex, EventIndex> eventsWithin(const RankTrace& trace, const Row& row,
                                                             TimeRange range);

} // namespace rankscope
