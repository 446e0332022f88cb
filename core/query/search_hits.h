// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a search: hits of every rank, their sums, next and previous hit in time, and a sorted list of
// the first hits. Eight bytes per hit, no texts. Immutable and thread-safe.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/trace_set.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope {

// The hits of one rank.
struct RankHits {
  std::vector<EventIndex> events; // ascending, so grouped by row and ascending in time within a row
  std::vector<EventIndex> byTime; // the same, sorted by (begin, event)
  ExactSum total;                 // sum of the durations
  EventIndex longest;             // the first among equals; invalid without hits
  EventIndex shortest;

  [[nodiscard]] std::size_t size() const { return events.size(); }
  // Hits among the events [first, end). O(log n).
  [[nodiscard]] std::span<const EventIndex> within(EventIndex first, EventIndex end) const;
  [[nodiscard]] bool contains(EventIndex event) const;
};

// By RankIndex; null for ranks not searched yet.
struct SearchHits {
  std::vector<std::shared_ptr<const RankHits>> ranks;

  [[nodiscard]] const RankHits* of(RankIndex rank) const {
    return rank.value < ranks.size() ? ranks[rank.value].get() : nullptr;
  }
};

struct HitSums {
  std::uint64_t count = 0;
  ExactSum total; // of the durations
  EventRef longest;
  EventRef shortest;
  std::size_t ranks = 0; // number of ranks with hits
};

[[nodiscard]] HitSums sumsOf(const TraceSet& traces, const SearchHits& hits);

// The next hit after `event` (any event), by (begin, rank, event) over all ranks; wraps around. An invalid
// event comes before the first hit. The result is invalid if there are no hits. O(ranks log n).
[[nodiscard]] EventRef hitAfter(const TraceSet& traces, const SearchHits& hits, EventRef event);
[[nodiscard]] EventRef hitBefore(const TraceSet& traces, const SearchHits& hits, EventRef event);
// The first hit that begins at or after `time`, else the first of all.
[[nodiscard]] EventRef hitFrom(const TraceSet& traces, const SearchHits& hits, TimeNs time);
// Number of hits before this event.
[[nodiscard]] std::uint64_t hitsBefore(const TraceSet& traces, const SearchHits& hits, EventRef event);

enum class HitOrder : std::uint8_t { Time, Duration, Name, Rank };

// The first maxCount hits in this order (Duration: longest first; Name: by text, then duration). descending:
// the last ones in reverse order. O(n) plus sorting of the listed hits; empty if cancelled.
[[nodiscard]] std::vector<EventRef> listHits(const TraceSet& traces, const SearchHits& hits, HitOrder order,
                                             bool descending, std::size_t maxCount,
                                             const std::atomic<bool>& cancel);

} // namespace rankscope
