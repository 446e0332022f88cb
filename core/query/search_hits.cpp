// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/search_hits.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace rankscope {

std::span<const EventIndex> RankHits::within(EventIndex first, EventIndex end) const {
  const auto from = std::ranges::lower_bound(events, first);
  const auto to = std::ranges::lower_bound(from, events.end(), end);
  return {from, to};
}

bool RankHits::contains(EventIndex event) const {
  return std::ranges::binary_search(events, event);
}

HitSums sumsOf(const TraceSet& traces, const SearchHits& hits) {
  HitSums sums;
  const auto durationOf = [&](EventRef event) {
    return traces.rank(event.rank).trace->events.duration[event.event];
  };
  for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
    const RankHits* const found = hits.ranks[i].get();
    if (!found || found->size() == 0) continue;
    ++sums.ranks;
    sums.count += found->size();
    sums.total += found->total;
    const EventRef longest{RankIndex(i), found->longest};
    const EventRef shortest{RankIndex(i), found->shortest};
    if (!sums.longest.valid() || durationOf(longest) > durationOf(sums.longest)) sums.longest = longest;
    if (!sums.shortest.valid() || durationOf(shortest) < durationOf(sums.shortest)) sums.shortest = shortest;
  }
  return sums;
}

namespace {

using TimeKey = std::tuple<TimeNs, std::uint32_t, std::uint32_t>; // begin, rank, event

TimeKey keyOf(const TraceSet& traces, EventRef event) {
  return {traces.rank(event.rank).trace->events.begin[event.event], event.rank.value, event.event.value};
}

// Number of a rank's hits with a smaller key.
std::size_t countBelow(const TraceSet& traces, RankIndex rank, const RankHits& hits, const TimeKey& key) {
  const auto below = std::ranges::lower_bound(hits.byTime, key, {}, [&](EventIndex event) {
    return keyOf(traces, {rank, event});
  });
  return static_cast<std::size_t>(below - hits.byTime.begin());
}

constexpr TimeKey kFirstKey{kAllTime.begin, 0, 0};

// The hit with the smallest key >= from, else with the smallest of all.
EventRef firstFrom(const TraceSet& traces, const SearchHits& hits, const TimeKey& from) {
  EventRef first;
  for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
    const RankHits* const found = hits.ranks[i].get();
    if (!found) continue;
    const std::size_t at = countBelow(traces, RankIndex(i), *found, from);
    if (at == found->size()) continue;
    const EventRef candidate{RankIndex(i), found->byTime[at]};
    if (!first.valid() || keyOf(traces, candidate) < keyOf(traces, first)) first = candidate;
  }
  return first.valid() || from == kFirstKey ? first : firstFrom(traces, hits, kFirstKey);
}

} // namespace

EventRef hitAfter(const TraceSet& traces, const SearchHits& hits, EventRef event) {
  if (!event.valid()) return firstFrom(traces, hits, kFirstKey);
  auto [begin, rank, index] = keyOf(traces, event);
  return firstFrom(traces, hits, {begin, rank, index + 1});
}

EventRef hitFrom(const TraceSet& traces, const SearchHits& hits, TimeNs time) {
  return firstFrom(traces, hits, {time, 0, 0});
}

EventRef hitBefore(const TraceSet& traces, const SearchHits& hits, EventRef event) {
  const auto lastBelow = [&](const TimeKey& key) {
    EventRef last;
    for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
      const RankHits* const found = hits.ranks[i].get();
      const std::size_t below = found ? countBelow(traces, RankIndex(i), *found, key) : 0;
      if (below == 0) continue;
      const EventRef candidate{RankIndex(i), found->byTime[below - 1]};
      if (!last.valid() || keyOf(traces, candidate) > keyOf(traces, last)) last = candidate;
    }
    return last;
  };
  EventRef last;
  if (event.valid()) last = lastBelow(keyOf(traces, event));
  return last.valid() ? last : lastBelow({kAllTime.end, EventIndex::kNone, EventIndex::kNone});
}

std::uint64_t hitsBefore(const TraceSet& traces, const SearchHits& hits, EventRef event) {
  const TimeKey key = keyOf(traces, event);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
    if (hits.ranks[i]) count += countBelow(traces, RankIndex(i), *hits.ranks[i], key);
  }
  return count;
}

namespace {

// Rank of each name in text order, so that sorting does not compare texts.
std::vector<std::uint32_t> namePlaces(const StringTable& names) {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t id) { return names[NameId(std::size_t{id})]; });
  std::vector<std::uint32_t> places(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::uint32_t>(i);
  return places;
}

// Keeps the first maxCount values, sorted.
template <class Less> void keepFirst(std::vector<EventRef>& values, std::size_t maxCount, Less less) {
  if (values.size() > maxCount) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(maxCount), values.end(),
                     less);
    values.resize(maxCount);
  }
  std::ranges::sort(values, less);
}

} // namespace

std::vector<EventRef> listHits(const TraceSet& traces, const SearchHits& hits, HitOrder order,
                               bool descending, std::size_t maxCount, const std::atomic<bool>& cancel) {
  std::vector<EventRef> listed;
  std::vector<std::uint32_t> places;
  if (order == HitOrder::Name) places = namePlaces(traces.names());
  const auto eventsOf = [&](EventRef event) -> const EventColumns& {
    return traces.rank(event.rank).trace->events;
  };
  const auto rankOf = [&](EventRef event) {
    return std::pair(traces.rank(event.rank).rank, traces.rank(event.rank).capture);
  };
  const auto placeOf = [&](EventRef event) {
    const NameId name = eventsOf(event).name[event.event];
    return name.valid() ? places[name.value] + 1 : 0u;
  };
  const auto before = [&](EventRef a, EventRef b) {
    const TimeNs longer = eventsOf(b).duration[b.event] - eventsOf(a).duration[a.event];
    switch (order) {
    case HitOrder::Duration:
      if (longer != 0) return longer < 0;
      break;
    case HitOrder::Name:
      if (placeOf(a) != placeOf(b)) return placeOf(a) < placeOf(b);
      if (longer != 0) return longer < 0;
      break;
    case HitOrder::Rank:
      if (rankOf(a) != rankOf(b)) return rankOf(a) < rankOf(b);
      break;
    case HitOrder::Time:
      break;
    }
    return keyOf(traces, a) < keyOf(traces, b);
  };
  const auto less = [&](EventRef a, EventRef b) { return descending ? before(b, a) : before(a, b); };
  // Drop surplus entries whenever twice as many as requested are stored.
  for (std::size_t i = 0; i < hits.ranks.size() && !cancel; ++i) {
    if (!hits.ranks[i]) continue;
    for (const EventIndex event : hits.ranks[i]->events) {
      listed.push_back({RankIndex(i), event});
      if (listed.size() < 2 * maxCount + 1024) continue;
      std::nth_element(listed.begin(), listed.begin() + static_cast<std::ptrdiff_t>(maxCount), listed.end(),
                       less);
      listed.resize(maxCount);
      if (cancel) return {};
    }
  }
  if (cancel) return {};
  keepFirst(listed, maxCount, less);
  return listed;
}

} // namespace rankscope
