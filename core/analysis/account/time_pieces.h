// SPDX-License-Identifier: GPL-3.0-or-later
// A stretch of time cut into pieces that lie end to end, each with its class, its leaf and the event that
// stands for it. No instant is in two pieces and none is in no piece, so the times of any range within add up
// to its length, exactly. Filled from the begin on by one thread, then constant. 16 bytes a piece; a range
// costs O(log n) and a step for each piece in it.
#pragma once

#include "core/analysis/account/leaves.h"
#include "core/base/strong_index.h"

#include <algorithm>
#include <vector>

namespace rankscope {

class TimePieces {
 public:
  struct Piece {
    TimeNs begin = 0;
    EventIndex event; // may be invalid
    TimeClass timeClass = TimeClass::Idle;
    Leaf leaf = Leaf::Ideal;
  };

  TimePieces() = default;
  explicit TimePieces(TimeNs begin) : m_begin(begin), m_end(begin) {}

  // What lies between the last piece and `end`; nothing when that is no later.
  void addUntil(TimeNs end, TimeClass timeClass, Leaf leaf, EventIndex event) {
    if (end <= m_end) return;
    const bool goesOn = !m_pieces.empty() && m_pieces.back().timeClass == timeClass &&
                        m_pieces.back().leaf == leaf && m_pieces.back().event == event;
    if (!goesOn) m_pieces.push_back({m_end, event, timeClass, leaf});
    m_end = end;
  }

  [[nodiscard]] TimeRange range() const { return {m_begin, m_end}; }
  [[nodiscard]] std::size_t size() const { return m_pieces.size(); }
  [[nodiscard]] TimeRange rangeOf(std::size_t i) const {
    return {m_pieces[i].begin, i + 1 < m_pieces.size() ? m_pieces[i + 1].begin : m_end};
  }
  [[nodiscard]] const Piece& operator[](std::size_t i) const { return m_pieces[i]; }

  // Calls visit(TimeRange, const Piece&) for what of each piece lies in the window, in order of time.
  template <class Visit> void forEachWithin(TimeRange window, Visit&& visit) const {
    const TimeRange inside = window.clippedTo(range());
    if (inside.empty()) return;
    const auto after = std::ranges::upper_bound(m_pieces, inside.begin, {}, &Piece::begin);
    for (auto i = static_cast<std::size_t>(after - m_pieces.begin()) - 1;
         i < m_pieces.size() && m_pieces[i].begin < inside.end; ++i)
      visit(rangeOf(i).clippedTo(inside), m_pieces[i]);
  }
  // Of the part of the window that was cut into pieces.
  [[nodiscard]] LeafTimes within(TimeRange window) const;

 private:
  TimeNs m_begin = 0;
  TimeNs m_end = 0;
  std::vector<Piece> m_pieces;
};

} // namespace rankscope
