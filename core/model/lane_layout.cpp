// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/lane_layout.h"

namespace rankscope {

std::uint32_t LaneLayout::place(TimeRange event) {
  while (m_depth > 0 && m_rowEnds[m_depth - 1] <= event.begin) --m_depth;
  // The innermost open event that contains this one is its parent; an event that merely overlaps is no
  // parent.
  std::size_t row = m_depth;
  while (row > 0 && (m_rowEnds[row - 1] <= event.begin || m_rowEnds[row - 1] < event.end)) --row;
  while (row < m_rowEnds.size() && m_rowEnds[row] > event.begin) ++row;
  if (row == m_rowEnds.size()) m_rowEnds.push_back(event.end);
  m_rowEnds[row] = event.end;
  if (row + 1 > m_depth) m_depth = row + 1;
  return static_cast<std::uint32_t>(row);
}

} // namespace rankscope
