// SPDX-License-Identifier: GPL-3.0-or-later
// Level of detail for drawing: the longest event of any index range and the time that its events take,
// without looking at every event. It is built over a whole column of durations at once, whatever rows it
// holds: an index range inside a row never reads a block that reaches beyond the row, so thousands of rows
// share two vectors. 0.77 bytes an event. Constant after building; any number of threads may read it.
#pragma once

#include "core/base/column.h"
#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rankscope {

class LongestPyramid {
 public:
  LongestPyramid() = default;
  // durations: one per event, none negative; the same column is passed to every query. O(n).
  explicit LongestPyramid(std::span<const TimeNs> durations);
  // One that was built earlier, from its two columns. REQUIRES: wasBuiltOver() holds for its durations.
  LongestPyramid(Column<std::uint64_t> busyBeforeBlock, Column<std::uint32_t> longest)
      : m_busyBeforeBlock(std::move(busyBeforeBlock)), m_longest(std::move(longest)) {}

  [[nodiscard]] const Column<std::uint64_t>& busyBeforeBlock() const { return m_busyBeforeBlock; }
  [[nodiscard]] const Column<std::uint32_t>& longest() const { return m_longest; }
  // Whether it has the shape of one over so many durations, so that no query of them reads beyond an end.
  // O(n).
  [[nodiscard]] bool wasBuiltOver(std::size_t durationCount) const;

  // Index of the longest event of [first, last), the lowest one of equals. first < last. O(log n).
  [[nodiscard]] std::size_t longestIn(std::span<const TimeNs> durations, std::size_t first,
                                      std::size_t last) const;
  // Sum of the durations of [first, last); what events that do not overlap keep busy. O(1).
  [[nodiscard]] TimeNs busyIn(std::span<const TimeNs> durations, std::size_t first, std::size_t last) const;

  [[nodiscard]] std::size_t memoryBytes() const;

 private:
  [[nodiscard]] std::uint64_t busyBefore(std::span<const TimeNs> durations, std::size_t index) const;

  // Unsigned, so that a sum over all rows of a rank may wrap around: differences within a row stay right.
  Column<std::uint64_t> m_busyBeforeBlock;
  Column<std::uint32_t> m_longest;
};

} // namespace rankscope
