// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/lane_layout.h"

#include <algorithm>

namespace rankscope {

namespace {

constexpr std::size_t kFewRows = 64; // more rows than operators usually nest

} // namespace

std::uint32_t LaneLayout::place(TimeRange event) {
  while (m_depth > 0 && m_rowEnds[m_depth - 1] <= event.begin) --m_depth;
  const std::size_t row = m_rowEnds.size() <= kFewRows ? walkTo(event) : searchFor(event);
  setEnd(row, event.end);
  if (row + 1 > m_depth) m_depth = row + 1;
  return static_cast<std::uint32_t>(row);
}

// The parent is the innermost open event that contains this one; an event that only overlaps is no parent.
// The event gets the next free row below its parent.
std::size_t LaneLayout::walkTo(TimeRange event) const {
  std::size_t row = m_depth;
  while (row > 0 && (m_rowEnds[row - 1] <= event.begin || m_rowEnds[row - 1] < event.end)) --row;
  while (row < m_rowEnds.size() && m_rowEnds[row] > event.begin) ++row;
  return row;
}

std::size_t LaneLayout::searchFor(TimeRange event) const {
  const std::size_t parent = m_tree.lastFrom(m_depth, std::max(event.begin + 1, event.end));
  return m_tree.firstUntil(parent == TimeTree::kNone ? 0 : parent + 1, event.begin);
}

void LaneLayout::setEnd(std::size_t row, TimeNs end) {
  const bool isNew = row == m_rowEnds.size();
  if (isNew) m_rowEnds.push_back(end);
  m_rowEnds[row] = end;
  if (m_rowEnds.size() <= kFewRows) return;
  if (m_tree.size() == 0) {
    for (const TimeNs known : m_rowEnds) m_tree.push(known);
  } else if (isNew) {
    m_tree.push(end);
  } else {
    m_tree.set(row, end);
  }
}

} // namespace rankscope
