// SPDX-License-Identifier: GPL-3.0-or-later
// Gives every event of a track a row: what nests lies one row below what contains it, and what overlaps
// without nesting goes to the next row that is free. No event is dropped, and no two events of a row overlap.
// Feed events by (begin ascending, duration falling); one pass, amortized constant time for nested events and
// O(log rows) for any other.
#pragma once

#include "core/base/time_range.h"
#include "core/index/time_tree.h"

#include <cstdint>
#include <vector>

namespace rankscope {

class LaneLayout {
 public:
  // The row of the next event, 0 on top. REQUIRES: events come in the order named above.
  std::uint32_t place(TimeRange event);

  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_rowEnds.size()); }

 private:
  [[nodiscard]] std::size_t walkTo(TimeRange event) const;
  [[nodiscard]] std::size_t searchFor(TimeRange event) const;
  void setEnd(std::size_t row, TimeNs end);

  std::vector<TimeNs> m_rowEnds;
  TimeTree m_tree;         // the same, once there are too many rows to walk along
  std::size_t m_depth = 0; // no row from this one down holds an event that is still open
};

} // namespace rankscope
