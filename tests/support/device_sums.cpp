// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/device_sums.h"

#include <algorithm>
#include <limits>

namespace rankscope::test {

void DeviceSums::add(Kind kind, std::int64_t begin, std::int64_t end) {
  m_edges.push_back({begin, kind, 1});
  m_edges.push_back({end, kind, -1});
}

void DeviceSums::advance(std::int64_t until) {
  // At equal times, begins precede ends, so that touching intervals are joined.
  std::sort(m_edges.begin(), m_edges.end(), [](const Edge& a, const Edge& b) {
    return a.time != b.time ? a.time < b.time : a.change > b.change;
  });
  std::size_t i = 0;
  for (; i < m_edges.size() && m_edges[i].time < until; ++i) {
    const Edge& edge = m_edges[i];
    if (!m_started) {
      m_started = true;
      m_totals.first = m_time = edge.time;
    }
    const std::int64_t passed = edge.time - m_time;
    const bool any = m_running[kCompute] + m_running[kCommunication] + m_running[kMemory] > 0;
    if (any) m_totals.busy += passed;
    if (!any && passed > 0) m_idle.emplace_back(m_time, edge.time);
    if (m_running[kCompute] > 0) m_totals.compute += passed;
    if (m_running[kCommunication] > 0) m_totals.communication += passed;
    if (m_running[kCompute] > 0 && m_running[kCommunication] > 0) m_totals.overlap += passed;
    if (m_running[kMemory] > 0) m_totals.memory += passed;
    m_running[edge.kind] += edge.change;
    m_totals.last = std::max(m_totals.last, edge.time);
    m_time = edge.time;
  }
  m_edges.erase(m_edges.begin(), m_edges.begin() + static_cast<std::ptrdiff_t>(i));
}

void DeviceSums::finish() {
  advance(std::numeric_limits<std::int64_t>::max());
}

} // namespace rankscope::test
