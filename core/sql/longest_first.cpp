// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/longest_first.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace rankscope {

bool LongestFirst::Candidate::operator<(const Candidate& other) const {
  return std::tie(duration, other.slice, other.event) < std::tie(other.duration, slice, event);
}

LongestFirst::LongestFirst(const EventSource& source, const EventFilter& filter,
                           std::span<const EventSlice> slices)
    : m_source(&source), m_filter(&filter), m_slices(slices) {
  std::size_t blocks = 0;
  for (const EventSlice& slice : slices) blocks += (slice.end.value - slice.first.value) / kBlock + 2;
  m_heap.reserve(blocks);
  for (std::uint32_t slice = 0; slice < slices.size(); ++slice) {
    for (EventIndex first = slices[slice].first; first < slices[slice].end; first = endOfBlock(slice, first))
      pushBlock(slice, first);
  }
  std::ranges::make_heap(m_heap, std::less<>());
}

std::optional<LongestFirst::Found> LongestFirst::next() {
  while (!m_heap.empty()) {
    const Candidate longest = m_heap.front();
    std::ranges::pop_heap(m_heap, std::less<>());
    m_heap.pop_back();
    if (!longest.block) return Found{longest.slice, longest.event};
    openBlock(longest);
  }
  return std::nullopt;
}

EventIndex LongestFirst::endOfBlock(std::uint32_t slice, EventIndex first) const {
  const std::size_t end = (std::size_t{first.value} / kBlock + 1) * kBlock;
  return EventIndex(std::min(end, std::size_t{m_slices[slice].end.value}));
}

// Not yet a heap.
void LongestFirst::pushBlock(std::uint32_t slice, EventIndex first) {
  const RankTrace& trace = m_source->traceOf(m_slices[slice].rank);
  const auto durations = trace.events.duration.span();
  const std::size_t longest = trace.pyramid.longestIn(durations, first.value, endOfBlock(slice, first).value);
  m_heap.push_back({durations[longest], slice, first, true});
}

void LongestFirst::openBlock(const Candidate& block) {
  const RankIndex rank = m_slices[block.slice].rank;
  const auto durations = m_source->traceOf(rank).events.duration.span();
  for (EventIndex event = block.event; event < endOfBlock(block.slice, block.event); ++event.value) {
    if (!matches(*m_source, *m_filter, {rank, event})) continue;
    m_heap.push_back({durations[event.value], block.slice, event, false});
    std::ranges::push_heap(m_heap, std::less<>());
  }
}

} // namespace rankscope
