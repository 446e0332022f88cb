// SPDX-License-Identifier: GPL-3.0-or-later
// Gives every event of a track a row: what nests lies one row below what contains it, and what overlaps
// without nesting goes to the next row that is free. No event is dropped, and no two events of a row overlap.
// Feed events by (begin rising, duration falling); one pass, amortised constant time for nested events.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <vector>

namespace rankscope {

class LaneLayout {
 public:
  // The row of the next event, 0 on top. REQUIRES: events come in the order named above.
  std::uint32_t place(TimeRange event);

  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_rowEnds.size()); }

 private:
  std::vector<TimeNs> m_rowEnds;
  std::size_t m_depth = 0; // no row from this one down holds an event that is still open
};

} // namespace rankscope
