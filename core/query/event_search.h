// SPDX-License-Identifier: GPL-3.0-or-later
// Where the events are that a query asks for. Names are tested once each, not once an event, and whole tracks
// by what they are; what is left is one look at the name and kind columns an event, spread over threads, so
// ten million events take a few hundredths of a second. Ranks are handed out as they are ready. Hits are
// eight bytes each and carry no text. Everything here is constant after it was made; any thread.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/trace_set.h"
#include "core/query/search_query.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

// What one rank has of a query.
struct RankHits {
  std::vector<EventIndex> events; // rising, so those of a row lie together and rise in time
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

// A query made ready for a job. Copies share what was worked out; the job outlives them.
class EventSearch {
 public:
  // Tests every name of the job; O(names x their lengths), over threads.
  EventSearch(const TraceSet& traces, const SearchQuery& query, unsigned threads);
  ~EventSearch();

  [[nodiscard]] bool matches(EventRef event) const;

  // Calls found(rank, hits) for every rank, from any of the threads, one call a rank and never two at a time.
  // Returns early, with ranks left out, once cancel is true.
  using Found = std::function<void(RankIndex, std::shared_ptr<const RankHits>)>;
  void run(unsigned threads, const std::atomic<bool>& cancel, const Found& found) const;

 private:
  struct Ready;
  std::shared_ptr<const Ready> m_ready;
};

// All of it at once.
[[nodiscard]] SearchHits findEvents(const TraceSet& traces, const SearchQuery& query, unsigned threads,
                                    const std::atomic<bool>& cancel);

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
                                             bool descending, std::size_t most,
                                             const std::atomic<bool>& cancel);

} // namespace rankscope
