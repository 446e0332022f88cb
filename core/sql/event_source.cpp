// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_source.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace rankscope {

namespace {

// Stable.
template <class KeyOf> void sortBy(std::vector<std::uint32_t>& order, std::size_t keyCount, KeyOf&& keyOf) {
  std::vector<std::uint32_t> keys(order.size());
  std::vector<std::uint32_t> places(keyCount + 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    keys[i] = keyOf(order[i]);
    ++places[keys[i] + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::uint32_t> sorted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[places[keys[i]]++] = order[i];
  order.swap(sorted);
}

} // namespace

EventSource::EventSource(const Analysis& analysis) : m_analysis(analysis) {
  const auto& ranks = trace().ranks();
  m_kinds = std::vector<Lazy<std::vector<std::uint32_t>>>(ranks.size());
  m_facts.reserve(ranks.size());
  m_firstTrack.reserve(ranks.size());
  m_firstOfRank.reserve(ranks.size() + 1);
  std::int64_t tracks = 0;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankIndex rank(i);
    m_facts.push_back(std::make_unique<const EventFacts>(analysis, rank));
    m_firstTrack.push_back(tracks);
    m_firstOfRank.push_back(events);
    tracks += static_cast<std::int64_t>(ranks[i].trace->tracks.size());
    if (std::ranges::binary_search(analysis.ranks(), rank)) events += ranks[i].trace->events.size();
  }
  m_firstOfRank.push_back(events);
  if (!ranks.empty()) m_jobBegin = analysis.extent().begin.ns();
}

std::optional<EventRef> EventSource::eventOf(std::int64_t id) const {
  if (id < 0) return std::nullopt;
  const auto rank = static_cast<std::uint64_t>(id) >> kIdBits;
  const auto event = static_cast<std::uint64_t>(id) & ((std::uint64_t{1} << kIdBits) - 1);
  if (rank >= trace().ranks().size() || event >= m_firstOfRank[rank + 1] - m_firstOfRank[rank])
    return std::nullopt;
  return EventRef{RankIndex(rank), EventIndex(event)};
}

std::uint32_t EventSource::kindsOf(RankIndex rank, TrackIndex track) const {
  const auto& kinds = m_kinds[rank.value].get([&] {
    const RankTrace& events = traceOf(rank);
    std::vector<std::uint32_t> masks(events.tracks.size());
    for (std::size_t i = 0; i < masks.size(); ++i) {
      for (EventIndex e = events.tracks[i].firstEvent; e < events.tracks[i].endEvent; ++e.value)
        masks[i] |= 1U << static_cast<unsigned>(events.events.kind[e]);
    }
    return masks;
  });
  return kinds[track.value];
}

std::optional<NameId> EventSource::nameOf(std::string_view text) const {
  const auto& ids = m_nameIds.get([this] {
    const StringTable& names = trace().names();
    std::unordered_map<std::string_view, NameId> all;
    all.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) all.emplace(names[NameId(i)], NameId(i));
    return all;
  });
  const auto found = ids.find(text);
  return found == ids.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::uint32_t>& EventSource::namePlaces() const {
  return m_namePlaces.get([this] {
    const StringTable& names = trace().names();
    std::vector<std::uint32_t> sorted(names.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::ranges::sort(sorted, {}, [&](std::uint32_t name) { return names[NameId(name)]; });
    std::vector<std::uint32_t> places(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) places[sorted[i]] = static_cast<std::uint32_t>(i) + 1;
    return places;
  });
}

std::uint32_t EventSource::placeOfKind(EventKind kind) {
  static const std::vector<std::uint32_t> kPlaces = [] {
    std::vector<std::uint32_t> sorted(kEventKindCount);
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::ranges::sort(sorted, {}, [](std::uint32_t k) { return kindText(static_cast<EventKind>(k)); });
    std::vector<std::uint32_t> places(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) places[sorted[i]] = static_cast<std::uint32_t>(i);
    return places;
  }();
  return kPlaces[static_cast<std::size_t>(kind)];
}

std::uint32_t EventSource::keyOf(EventKey key, EventRef event) const {
  const EventColumns& events = traceOf(event.rank).events;
  switch (key) {
  case EventKey::Rank:
    return event.rank.value;
  case EventKey::Name:
    return placeOfName(events.name[event.event]);
  case EventKey::Kind:
    return placeOfKind(events.kind[event.event]);
  case EventKey::Step: {
    const auto step = facts(event.rank).stepOf(event.event);
    if (!step) return 0;
    const auto place = std::ranges::lower_bound(stepNumbers(), *step);
    return static_cast<std::uint32_t>(place - stepNumbers().begin()) + 1;
  }
  case EventKey::None:
    break;
  }
  return 0;
}

const std::vector<std::int64_t>& EventSource::stepNumbers() const {
  return m_stepNumbers.get([this] {
    std::vector<std::int64_t> numbers;
    for (const RankIndex rank : m_analysis.ranks()) {
      for (const StepWindow& step : m_analysis.wholeStepWindows(rank).steps) numbers.push_back(step.number);
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  });
}

std::size_t EventSource::valueCount(EventKey key) const {
  switch (key) {
  case EventKey::Rank:
    return trace().ranks().size();
  case EventKey::Name:
    return trace().names().size() + 1;
  case EventKey::Kind:
    return std::size_t{kEventKindCount};
  case EventKey::Step:
    return stepNumbers().size() + 1;
  case EventKey::None:
    break;
  }
  return 1;
}

EventRef EventSource::numbered(std::uint32_t number, RankIndex near) const {
  if (!near.valid() || number < m_firstOfRank[near.value] || number >= m_firstOfRank[near.value + 1]) {
    const auto after = std::ranges::upper_bound(m_firstOfRank, std::uint64_t{number});
    near = RankIndex(static_cast<std::size_t>(after - m_firstOfRank.begin()) - 1);
  }
  return {near, EventIndex(std::size_t{number} - m_firstOfRank[near.value])};
}

std::shared_ptr<const EventSource::Order> EventSource::ordered(EventKeys keys) const {
  if (eventCount() >= std::numeric_limits<std::uint32_t>::max()) return nullptr;
  const std::lock_guard lock(m_ordering);
  const auto known = std::ranges::find(m_orders, keys, [](const auto& order) { return order.first; });
  if (known != m_orders.end()) {
    std::rotate(known, known + 1, m_orders.end());
    return m_orders.back().second;
  }
  Order order(eventCount());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = keys.size(); i-- > 0;) {
    const EventKey key = keys[i];
    if (key == EventKey::None) continue;
    RankIndex near;
    sortBy(order, valueCount(key), [&](std::uint32_t number) {
      const EventRef event = numbered(number, near);
      near = event.rank;
      return keyOf(key, event);
    });
  }
  if (m_orders.size() == kOrdersKept) m_orders.erase(m_orders.begin());
  m_orders.emplace_back(keys, std::make_shared<const Order>(std::move(order)));
  return m_orders.back().second;
}

} // namespace rankscope
