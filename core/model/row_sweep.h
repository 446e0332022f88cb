// SPDX-License-Identifier: GPL-3.0-or-later
// Walks all rows of a track together in time order and tracks the event of each row that began last. Finds
// the event that encloses another one without a linear search over the rows, of which there may be as many as
// events. O(log rows) per event and query.
#pragma once

#include "core/index/time_tree.h"
#include "core/model/rank_trace.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

class RowSweep {
 public:
  struct Part {
    EventIndex first;
    EventIndex end;
  };
  struct Begun {
    EventIndex event;
    std::uint32_t row; // 0 at the top
  };

  // Rows of one track from the top down, or parts of them.
  RowSweep(const EventColumns& events, std::span<const Part> rows) : m_events(events) {
    for (const Part& row : rows) add(row.first, row.end);
    std::make_heap(m_next.begin(), m_next.end(), std::greater<>());
  }
  RowSweep(const RankTrace& trace, const Track& track) : m_events(trace.events) {
    for (std::uint32_t row = 0; row < track.rowCount; ++row) {
      const Row& events = trace.rows[track.firstRow.value + row];
      add(events.firstEvent, events.endEvent);
    }
    std::make_heap(m_next.begin(), m_next.end(), std::greater<>());
  }

  // Advances to the next time at which events begin; false at the end. finds(event): whether lowestUntil may
  // return the event.
  template <class Finds> bool next(Finds&& finds) {
    m_begun.clear();
    if (m_next.empty()) return false;
    const TimeNs time = m_next.front().begin;
    while (!m_next.empty() && m_next.front().begin == time) {
      const auto [begin, row, event] = m_next.front();
      m_begun.push_back({event, row});
      m_last[row] = event;
      m_open.set(row, finds(event) ? begin + m_events.duration[event] : kNothing);
      const EventIndex following(std::size_t{event.value} + 1);
      const bool more = following < m_end[row];
      replaceFirst(more ? Next{m_events.begin[following], row, following} : Next{}, more);
    }
    return true;
  }
  // Processes all events that begin at or before t.
  template <class Finds> void advance(TimeNs t, Finds&& finds) {
    while (!m_next.empty() && m_next.front().begin <= t) next(finds);
  }

  // The events that began in the last next(), sorted by row.
  [[nodiscard]] std::span<const Begun> begun() const { return m_begun; }
  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_end.size()); }
  // Event of a row that began last; invalid before the first one.
  [[nodiscard]] EventIndex last(std::uint32_t row) const { return m_last[row]; }
  // The lowest event above `row` that began last in its row, was accepted by finds(), and ends at `end` or
  // later. Invalid if there is none.
  [[nodiscard]] EventIndex lowestUntil(std::uint32_t row, TimeNs end) const {
    const std::size_t found = m_open.lastFrom(row, end);
    return found == TimeTree::kNone ? EventIndex() : m_last[found];
  }

 private:
  static constexpr TimeNs kNothing = std::numeric_limits<TimeNs>::min();
  struct Next {
    TimeNs begin;
    std::uint32_t row;
    EventIndex event;
    auto operator<=>(const Next&) const = default;
  };

  void add(EventIndex first, EventIndex end) {
    const auto row = static_cast<std::uint32_t>(m_end.size());
    m_open.push(kNothing);
    m_last.emplace_back();
    m_end.push_back(end);
    if (first < end) m_next.push_back({m_events.begin[first], row, first});
  }
  // Replaces the top of the heap by `by`, or by the last element if the row has no more events.
  void replaceFirst(Next by, bool more) {
    if (!more) {
      by = m_next.back();
      m_next.pop_back();
      if (m_next.empty()) return;
    }
    std::size_t at = 0;
    for (std::size_t child = 1; child < m_next.size(); child = 2 * at + 1) {
      if (child + 1 < m_next.size() && m_next[child + 1] < m_next[child]) ++child;
      if (!(m_next[child] < by)) break;
      m_next[at] = m_next[child];
      at = child;
    }
    m_next[at] = by;
  }

  const EventColumns& m_events;
  TimeTree m_open;                // by row: end of its last event if finds() accepted it
  std::vector<EventIndex> m_last; // by row
  std::vector<EventIndex> m_end;  // by row
  std::vector<Next> m_next;       // min-heap by time
  std::vector<Begun> m_begun;
};

} // namespace rankscope
