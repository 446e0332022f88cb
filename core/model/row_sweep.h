// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the rows of one track together, in order of time, and knows of each row which event began last: what
// is open above an event is found without walking up the rows, of which there may be as many as events.
// O(log rows) for each event and question.
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
    std::uint32_t row; // 0 on top
  };

  // Rows of one track from the top on, or parts of them.
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

  // Goes on to the next time at which anything begins, and lets all begin that begins then; false at the end.
  // finds(event): whether lowestUntil may find it.
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
  // Lets all begin that begins at or before t.
  template <class Finds> void advance(TimeNs t, Finds&& finds) {
    while (!m_next.empty() && m_next.front().begin <= t) next(finds);
  }

  // What began last, in no particular order but by row.
  [[nodiscard]] std::span<const Begun> begun() const { return m_begun; }
  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_end.size()); }
  // The event of a row that began last; invalid before the first.
  [[nodiscard]] EventIndex last(std::uint32_t row) const { return m_last[row]; }
  // Of the events that began last in the rows above `row`, the lowest that may be found and ends at `end` or
  // later; invalid when there is none.
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
  // Sifts down what stands in the first one's place now.
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
  TimeTree m_open;                // by row: when its last event ends, if it may be found
  std::vector<EventIndex> m_last; // by row
  std::vector<EventIndex> m_end;  // by row
  std::vector<Next> m_next;       // a heap, the earliest first
  std::vector<Begun> m_begun;
};

} // namespace rankscope
