// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operator_tree.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// The events of one thread, row after row; for each the lowest row above it that holds an operator around it.
class ThreadSweep {
 public:
  ThreadSweep(const RankTrace& trace, const StringTable& names, std::vector<EventIndex>& enclosing)
      : m_trace(trace), m_names(names), m_begin(trace.events.begin.span()),
        m_duration(trace.events.duration.span()), m_enclosing(enclosing) {}

  void run(const Track& track) {
    m_firstRow = track.firstRow.value;
    m_next.resize(track.rowCount);
    for (std::uint32_t row = 1; row < track.rowCount; ++row) {
      for (std::uint32_t upper = 0; upper < row; ++upper) m_next[upper] = rowAt(upper).firstEvent.value;
      const Row& events = rowAt(row);
      for (EventIndex event = events.firstEvent; event < events.endEvent; ++event.value)
        m_enclosing[event.value] = operatorAround(event, row);
    }
  }

 private:
  [[nodiscard]] const Row& rowAt(std::uint32_t row) const { return m_trace.rows[m_firstRow + row]; }

  [[nodiscard]] EventIndex operatorAround(EventIndex event, std::uint32_t row) {
    const TimeNs begin = m_begin[event.value];
    const TimeNs lastCovered =
        m_trace.events.kind[event] == EventKind::Runtime ? begin : begin + m_duration[event.value];
    // What nests finds its parent in the row above; the loop goes on past crossing events and annotations.
    for (std::uint32_t upper = row; upper-- > 0;) {
      const EventIndex candidate = lastBeginningBy(upper, begin);
      if (!candidate.valid()) continue;
      const TimeNs end = m_begin[candidate.value] + m_duration[candidate.value];
      if (begin < end && lastCovered <= end && isOperator(m_trace, m_names, candidate)) return candidate;
    }
    return {};
  }

  // Within one row of events t only rises, so each upper row is walked once, in leaps when it is longer.
  [[nodiscard]] EventIndex lastBeginningBy(std::uint32_t row, TimeNs t) {
    std::uint32_t& next = m_next[row];
    const Row& events = rowAt(row);
    const std::uint32_t end = events.endEvent.value;
    if (next < end && m_begin[next] <= t) {
      std::uint32_t known = next;
      std::uint32_t step = 1;
      while (step < end - known && m_begin[known + step] <= t) {
        known += step;
        step *= 2;
      }
      const auto first = m_begin.begin() + known + 1;
      const auto last = m_begin.begin() + std::min(end, known + step);
      next = static_cast<std::uint32_t>(std::upper_bound(first, last, t) - m_begin.begin());
    }
    return next == events.firstEvent.value ? EventIndex() : EventIndex(next - 1);
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  std::span<const TimeNs> m_begin;
  std::span<const TimeNs> m_duration;
  std::vector<EventIndex>& m_enclosing;
  std::uint32_t m_firstRow = 0;
  std::vector<std::uint32_t> m_next; // by upper row: the first event that begins after the time asked last
};

// Whether External ids of device events can be those of operators: most of them are no correlations.
bool externalIdsNameOperators(const RankTrace& trace) {
  std::size_t both = 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < trace.deviceDetails.size(); ++i) {
    const std::uint32_t id = trace.deviceDetails[i].externalId;
    const std::uint32_t correlation = trace.events.link[EventIndex(trace.deviceBegin.value + i)];
    if (id == 0 || correlation == 0) continue;
    ++both;
    if (id == correlation) ++equal;
  }
  return 2 * equal <= both;
}

void followExternalIds(const RankTrace& trace, const StringTable& names, std::vector<EventIndex>& owners) {
  const auto hasOnlyId = [&](std::size_t i) {
    return !trace.deviceDetails[i].launch.valid() && trace.deviceDetails[i].externalId != 0;
  };
  std::vector<std::size_t> unlinked;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (hasOnlyId(i)) unlinked.push_back(i);
  }
  if (unlinked.empty() || !externalIdsNameOperators(trace)) return;
  std::vector<std::pair<std::uint32_t, EventIndex>> operators;
  forEachOperator(trace, names, [&](EventIndex event) {
    if (trace.events.link[event] != 0) operators.emplace_back(trace.events.link[event], event);
  });
  std::ranges::sort(operators);
  for (const std::size_t i : unlinked) {
    const std::uint32_t id = trace.deviceDetails[i].externalId;
    const auto found = std::ranges::lower_bound(operators, std::pair(id, EventIndex(0)));
    if (found != operators.end() && found->first == id) owners[i] = found->second;
  }
}

} // namespace

bool isOperatorName(std::string_view hostCollective) {
  return hostCollective == "record_param_comms" || hostCollective.find("::") != std::string_view::npos;
}

std::vector<EventIndex> owningOperators(const RankTrace& trace, const StringTable& names,
                                        const std::vector<EventIndex>& enclosing) {
  std::vector<EventIndex> owners(trace.deviceDetails.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const EventIndex launch = trace.deviceDetails[i].launch;
    if (launch.valid()) owners[i] = enclosing[launch.value];
  }
  followExternalIds(trace, names, owners);
  return owners;
}

OperatorTree operatorTree(const RankTrace& trace, const StringTable& names) {
  OperatorTree tree;
  std::size_t end = 0;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::Thread) end = std::max<std::size_t>(end, track.endEvent.value);
  }
  tree.enclosing.resize(end);
  ThreadSweep sweep(trace, names, tree.enclosing);
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::Thread) sweep.run(track);
  }
  tree.owners = owningOperators(trace, names, tree.enclosing);
  return tree;
}

} // namespace rankscope
