// SPDX-License-Identifier: GPL-3.0-or-later
// For ascending times, finds the event of each row that began last. Each row is walked once, with doubling
// steps over long distances. So n times and m events cost at most O(n + m) per row, without binary searches
// over the whole row.
#pragma once

#include "core/model/rank_trace.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

class RowCursors {
 public:
  // Covers the first `maximum` rows of the track.
  RowCursors(const RankTrace& trace, const Track& track, std::uint32_t maximum)
      : m_rows(std::span(trace.rows).subspan(track.firstRow.value, std::min(track.rowCount, maximum))),
        m_begin(trace.events.begin.span()) {
    m_next.resize(m_rows.size());
    restart();
  }

  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_rows.size()); }
  // row: index within the track, 0 at the top.
  [[nodiscard]] const Row& row(std::uint32_t row) const { return m_rows[row]; }

  // Allows times to start over.
  void restart() {
    for (std::size_t i = 0; i < m_rows.size(); ++i) m_next[i] = m_rows[i].firstEvent.value;
  }

  // The last event of a row that begins at or before t; invalid if there is none. REQUIRES: t is not less
  // than in the previous call for this row.
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
  std::vector<std::uint32_t> m_next; // by row: first event that begins after the last requested time
};

} // namespace rankscope
