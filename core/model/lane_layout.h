// SPDX-License-Identifier: GPL-3.0-or-later
// Assigns each event of a track to a row. A nested event goes one row below the event that contains it; an
// event that overlaps without nesting goes to the next free row. No event is dropped, and events of a row do
// not overlap. Add events by ascending begin, longest first. Amortized O(1) for nested events, O(log rows)
// for others.
#pragma once

#include "core/base/time_range.h"
#include "core/index/time_tree.h"

#include <cstdint>
#include <vector>

namespace rankscope {

class LaneLayout {
 public:
  // Row of the next event, 0 at the top. REQUIRES: events are added in the order described above.
  std::uint32_t place(TimeRange event);

  [[nodiscard]] std::uint32_t rowCount() const { return static_cast<std::uint32_t>(m_rowEnds.size()); }

 private:
  [[nodiscard]] std::size_t walkTo(TimeRange event) const;
  [[nodiscard]] std::size_t searchFor(TimeRange event) const;
  void setEnd(std::size_t row, TimeNs end);

  std::vector<TimeNs> m_rowEnds;
  TimeTree m_tree;         // the same values; used once there are too many rows for a linear search
  std::size_t m_depth = 0; // rows from this one down have no open event
};

} // namespace rankscope
