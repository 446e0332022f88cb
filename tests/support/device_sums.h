// SPDX-License-Identifier: GPL-3.0-or-later
// Exact sums of device activity by a sweep over interval ends: busy, compute, communication, their overlap,
// memcpy. Intervals may be added in any order, but none may begin before the last `advance`. Deliberately
// independent of the product's interval sets, which are compared with it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope::test {

class DeviceSums {
 public:
  enum Kind : std::uint8_t { kCompute, kCommunication, kMemory };

  void add(Kind kind, std::int64_t begin, std::int64_t end);
  // Sums everything before `until`.
  void advance(std::int64_t until);
  void finish();

  struct Totals {
    std::int64_t first = 0, last = 0, busy = 0, compute = 0, communication = 0, overlap = 0, memory = 0;
    [[nodiscard]] std::int64_t span() const { return last - first; }
    [[nodiscard]] std::int64_t idle() const { return span() - busy; }
  };
  [[nodiscard]] const Totals& totals() const { return m_totals; }
  // Idle intervals between activities in order, since the last `clearIdle`.
  [[nodiscard]] const std::vector<std::pair<std::int64_t, std::int64_t>>& idle() const { return m_idle; }
  void clearIdle() { m_idle.clear(); }

 private:
  struct Edge {
    std::int64_t time;
    Kind kind;
    std::int8_t change;
  };
  std::vector<Edge> m_edges;
  std::int64_t m_running[3] = {0, 0, 0};
  std::int64_t m_time = 0;
  bool m_started = false;
  Totals m_totals;
  std::vector<std::pair<std::int64_t, std::int64_t>> m_idle;
};

} // namespace rankscope::test
