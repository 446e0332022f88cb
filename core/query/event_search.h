// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the events that match a search query. Each name is tested once, not each event, and whole tracks are
// included or excluded by their properties. The rest is one look at the name and kind columns per event, in
// parallel: ten million events take a few hundredths of a second. Ranks are delivered as they are ready. A
// search is immutable and thread-safe.
#pragma once

#include "core/model/trace_set.h"
#include "core/query/search_hits.h"
#include "core/query/search_query.h"

#include <atomic>
#include <functional>
#include <memory>

namespace rankscope {

// A query prepared for a job. Copies share the preparation. The job must outlive them.
class EventSearch {
 public:
  // Tests every name of the job in parallel; O(total length of names).
  EventSearch(const TraceSet& traces, const SearchQuery& query, unsigned threads);
  ~EventSearch();

  [[nodiscard]] bool matches(EventRef event) const;

  // Calls found(rank, hits) once for every rank, from any of the threads, never concurrently. Returns early,
  // without the remaining ranks, once cancel is true.
  using Found = std::function<void(RankIndex, std::shared_ptr<const RankHits>)>;
  void run(unsigned threads, const std::atomic<bool>& cancel, const Found& found) const;

 private:
  struct Ready;
  std::shared_ptr<const Ready> m_ready;
};

// Runs the whole search and returns all hits.
[[nodiscard]] SearchHits findEvents(const TraceSet& traces, const SearchQuery& query, unsigned threads,
                                    const std::atomic<bool>& cancel);

} // namespace rankscope
