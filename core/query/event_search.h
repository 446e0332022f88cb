// SPDX-License-Identifier: GPL-3.0-or-later
// Where the events are that a query asks for. Names are tested once each, not once an event, and whole tracks
// by what they are; what is left is one look at the name and kind columns an event, spread over threads, so
// ten million events take a few hundredths of a second. Ranks are handed out as they are ready. A search is
// constant after it was made; any thread.
#pragma once

#include "core/model/trace_set.h"
#include "core/query/search_hits.h"
#include "core/query/search_query.h"

#include <atomic>
#include <functional>
#include <memory>

namespace rankscope {

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

} // namespace rankscope
