// SPDX-License-Identifier: GPL-3.0-or-later
// What a search found: the hits of every rank, their sums, the next and the previous one in time, a list of
// the first ones in some order. Hits are eight bytes each and carry no text. Constant once made; any thread.
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

// What one rank has of a query.
struct RankHits {
  std::vector<EventIndex> events; // ascending, so those of a row lie together and ascend in time
  std::vector<EventIndex> byTime; // the same by (begin, event)
  ExactSum total;                 // sum of the durations
  EventIndex longest;             // the first one of equals; invalid without hits
  EventIndex shortest;

  [[nodiscard]] std::size_t size() const { return events.size(); }
  // Those of the events [first, end). O(log n).
  [[nodiscard]] std::span<const EventIndex> within(EventIndex first, EventIndex end) const;
  [[nodiscard]] bool contains(EventIndex event) const;
};

// By RankIndex; null where nobody has looked yet.
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
  std::size_t ranks = 0; // that have hits
};

[[nodiscard]] HitSums sumsOf(const TraceSet& traces, const SearchHits& hits);

// Hits of all ranks are ordered by (begin, rank, event). The one after this event, hit or not, going on from
// the last to the first; an invalid event stands before the first. Invalid without hits. O(ranks log n).
[[nodiscard]] EventRef hitAfter(const TraceSet& traces, const SearchHits& hits, EventRef event);
[[nodiscard]] EventRef hitBefore(const TraceSet& traces, const SearchHits& hits, EventRef event);
// The first hit that begins at or after a time, or the first of all.
[[nodiscard]] EventRef hitFrom(const TraceSet& traces, const SearchHits& hits, TimeNs time);
// How many hits come before this event.
[[nodiscard]] std::uint64_t hitsBefore(const TraceSet& traces, const SearchHits& hits, EventRef event);

enum class HitOrder : std::uint8_t { Time, Duration, Name, Rank };

// At most so many hits, the first ones in this order (Duration: the longest first; Name: by text, then
// duration); descending: the last ones, last first. O(n) and a sort of what is listed; empty when cancelled.
[[nodiscard]] std::vector<EventRef> listHits(const TraceSet& traces, const SearchHits& hits, HitOrder order,
                                             bool descending, std::size_t maxCount,
                                             const std::atomic<bool>& cancel);

} // namespace rankscope
