// SPDX-License-Identifier: GPL-3.0-or-later
// A list of times that can grow and change. It finds the last earlier element with at least a given time, and
// the first later element with at most a given time. Used for the row ends of a track, of which there may be
// as many as events. O(log n) per change and query; 32 bytes per time.
#pragma once

#include "core/base/time_range.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace rankscope {

class TimeTree {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] TimeNs operator[](std::size_t i) const { return m_nodes[m_leaves + i].latest; }

  void push(TimeNs time) {
    if (m_size == m_leaves) grow();
    set(m_size++, time);
  }
  void set(std::size_t i, TimeNs time) {
    std::size_t node = m_leaves + i;
    m_nodes[node] = {time, time};
    while (node /= 2) {
      const Node both{std::max(m_nodes[2 * node].latest, m_nodes[2 * node + 1].latest),
                      std::min(m_nodes[2 * node].earliest, m_nodes[2 * node + 1].earliest)};
      if (both.latest == m_nodes[node].latest && both.earliest == m_nodes[node].earliest) return;
      m_nodes[node] = both;
    }
  }

  // The last index in [0, before) whose time is >= minimum; kNone if there is none. before <= size().
  [[nodiscard]] std::size_t lastFrom(std::size_t before, TimeNs minimum) const {
    if (before == 0) return kNone;
    // Go up until a left sibling contains such a time, then down to its last one.
    std::size_t node = m_leaves + before - 1;
    while (m_nodes[node].latest < minimum) {
      while (node % 2 == 0) node /= 2;
      if (node <= 1) return kNone;
      --node;
    }
    while (node < m_leaves) node = 2 * node + (m_nodes[2 * node + 1].latest >= minimum ? 1 : 0);
    return node - m_leaves;
  }
  // The first index in [from, size()) whose time is <= maximum; size() if there is none.
  [[nodiscard]] std::size_t firstUntil(std::size_t from, TimeNs maximum) const {
    if (from >= m_size) return m_size;
    std::size_t node = m_leaves + from;
    while (m_nodes[node].earliest > maximum) {
      while (node % 2 == 1) node /= 2;
      if (node == 0) return m_size;
      ++node;
    }
    while (node < m_leaves) node = 2 * node + (m_nodes[2 * node].earliest <= maximum ? 0 : 1);
    return node - m_leaves;
  }

 private:
  struct Node {
    // Default for unused leaves: never matches a query.
    TimeNs latest = std::numeric_limits<TimeNs>::min();
    TimeNs earliest = std::numeric_limits<TimeNs>::max();
  };

  void grow() {
    const std::vector<Node> before = std::exchange(m_nodes, {});
    const std::size_t leaves = m_leaves;
    m_leaves = std::max<std::size_t>(1, 2 * m_leaves);
    m_nodes.resize(2 * m_leaves);
    std::copy(before.begin() + static_cast<std::ptrdiff_t>(leaves), before.end(),
              m_nodes.begin() + static_cast<std::ptrdiff_t>(m_leaves));
    for (std::size_t node = m_leaves; node-- > 1;)
      m_nodes[node] = {std::max(m_nodes[2 * node].latest, m_nodes[2 * node + 1].latest),
                       std::min(m_nodes[2 * node].earliest, m_nodes[2 * node + 1].earliest)};
  }

  std::vector<Node> m_nodes; // 1 is the root, children of i are 2 i and 2 i + 1; leaves from m_leaves
  std::size_t m_leaves = 0;  // a power of two
  std::size_t m_size = 0;
};

} // namespace rankscope
