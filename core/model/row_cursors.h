// SPDX-License-Identifier: GPL-3.0-or-later
// Walks the rows of one track along with a time that only ascends: which event of a row began last. Each row
// is walked once for all the times of a pass, in leaps where it is longer than they need, so a pass over n
// times and m events costs O(n + m) a row at most and no binary search over the row.
#pragma once

#include "core/model/rank_trace.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

class RowCursors {
 public:
  // Of the first rows of the track, at most so many.
  RowCursors(const RankTrace& trace, const Track& track, std::uint32_t maximum)
      : m_rows(std::span(trace.rows).subspan(track.firstRow.value, std::min(track.rowCount, maximum))),
        m_begin(trace.events.begin.span()) {
    m_next.resize(m_rows.size());
    restart();
  }

  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_rows.size()); }
  // By its place in the track, 0 on top.
  [[nodiscard]] const Row& row(std::uint32_t row) const { return m_rows[row]; }

  // Times may begin again.
  void restart() {
    for (std::size_t i = 0; i < m_rows.size(); ++i) m_next[i] = m_rows[i].firstEvent.value;
  }

  // The last event of a row that begins at or before t; invalid when there is none. REQUIRES: t is not before
  // the t that this row was asked for last.
  [[nodiscard]] EventIndex lastBeginningBy(std::uint32_t row, TimeNs t) {
    std::uint32_t& next = m_next[row];
    const std::uint32_t end = m_rows[row].endEvent.value;
    if (next < end && m_begin[next] <= t) {
      std::uint32_t known = next;
      std::uint32_t step = 1;
      while (step < end - known && m_begin[known + step] <= t) {
        known += step;
        step *= 2;
      }
      const auto first = m_begin.begin() + known + 1;
      const auto last = m_begin.begin() + known + std::min(step, end - known);
      next = static_cast<std::uint32_t>(std::upper_bound(first, last, t) - m_begin.begin());
    }
    return next == m_rows[row].firstEvent.value ? EventIndex() : EventIndex(next - 1);
  }

 private:
  std::span<const Row> m_rows;
  std::span<const TimeNs> m_begin;
  std::vector<std::uint32_t> m_next; // by row: its first event that begins after the time asked last
};

} // namespace rankscope
