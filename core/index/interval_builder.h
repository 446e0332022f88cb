// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the union of ranges that come row by row: within a row begins ascend, as they do in the rows of a
// track. What lies inside the first row of its thread, as nearly everything nested does, costs a comparison
// and no memory; the rest costs O(n log rows) when the union is taken.
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
  // The rows that follow are of another thread.
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
  // The union of all that was added; nothing is left.
  [[nodiscard]] IntervalSet take() {
    sortRuns(m_ranges, [](TimeRange a, TimeRange b) { return a.begin < b.begin; });
    m_first = m_end = m_at = 0;
    return IntervalSet(std::exchange(m_ranges, {}));
  }

 private:
  // Goes on to the first range of the first row that ends at `end` or later, in leaps: another row may begin
  // far behind where this one does.
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
  std::size_t m_first = 0; // of the thread
  std::size_t m_end = 0;   // of the first row of the thread that added anything
  std::size_t m_at = 0;
  bool m_rowBegins = true;
};

} // namespace rankscope
