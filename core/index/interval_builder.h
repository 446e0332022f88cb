// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the union of ranges that are added row by row, with ascending begins within a row, like the rows of
// a track. A range inside the first row of its thread (nearly every nested event) costs a comparison and no
// memory. All others cost O(n log rows) in take().
#pragma once

#include "core/base/sort_runs.h"
#include "core/index/interval_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace rankscope {

class IntervalBuilder {
 public:
  // The following rows belong to another thread.
  void beginThread() {
    m_first = m_end = m_ranges.size();
    m_at = m_first;
  }
  void beginRow() {
    if (m_end == m_first) m_end = m_ranges.size();
    m_at = m_first;
    m_rowBegins = true;
  }
  void add(TimeRange range) {
    if (range.empty()) return;
    passEarlier(range.end);
    if (m_at < m_end && m_ranges[m_at].begin <= range.begin) return;
    if (!m_rowBegins && range.begin <= m_ranges.back().end) {
      m_ranges.back().end = std::max(m_ranges.back().end, range.end);
      return;
    }
    m_rowBegins = false;
    m_ranges.push_back(range);
  }
  // Returns the union of all added ranges and resets the builder.
  [[nodiscard]] IntervalSet take() {
    sortRuns(m_ranges, [](TimeRange a, TimeRange b) { return a.begin < b.begin; });
    m_first = m_end = m_at = 0;
    return IntervalSet(std::exchange(m_ranges, {}));
  }

 private:
  // Advances to the first range of the first row that ends at `end` or later. The step doubles each time,
  // because the next row may begin much later than this one.
  void passEarlier(TimeNs end) {
    std::size_t step = 1;
    while (m_at < m_end && m_ranges[m_at].end < end) {
      m_at += step;
      step *= 2;
    }
    if (step < 4) return;
    const auto at = [&](std::size_t i) { return m_ranges.begin() + static_cast<std::ptrdiff_t>(i); };
    m_at = static_cast<std::size_t>(
        std::lower_bound(at(m_at - step / 2 + 1), at(std::min(m_at, m_end)), end,
                         [](const TimeRange& known, TimeNs time) { return known.end < time; }) -
        m_ranges.begin());
  }

  std::vector<TimeRange> m_ranges;
  std::size_t m_first = 0; // start of the thread's ranges
  std::size_t m_end = 0;   // end of the thread's first row with ranges
  std::size_t m_at = 0;
  bool m_rowBegins = true;
};

} // namespace rankscope
