// SPDX-License-Identifier: GPL-3.0-or-later
// Level of detail for drawing: finds the longest event of an index range and the sum of its durations without
// reading every event. It is built over the whole duration column of a rank. A query within a row never reads
// a block that extends beyond the row, so all rows share two vectors. 0.77 bytes per event. Immutable and
// thread-safe.
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
  // durations: one per event, not negative. Pass the same column to every query. O(n).
  explicit LongestPyramid(std::span<const TimeNs> durations);
  // Restores a pyramid from its two stored columns. REQUIRES: wasBuiltOver() is true for its durations.
  LongestPyramid(Column<std::uint64_t> busyBeforeBlock, Column<std::uint32_t> longest)
      : m_busyBeforeBlock(std::move(busyBeforeBlock)), m_longest(std::move(longest)) {}

  [[nodiscard]] const Column<std::uint64_t>& busyBeforeBlock() const { return m_busyBeforeBlock; }
  [[nodiscard]] const Column<std::uint32_t>& longest() const { return m_longest; }
  // Whether the stored columns have the right sizes and indices for this many durations, so that queries stay
  // in bounds. O(n).
  [[nodiscard]] bool wasBuiltOver(std::size_t durationCount) const;

  // Index of the longest event of [first, last); the lowest among equals. first < last. O(log n).
  [[nodiscard]] std::size_t longestIn(std::span<const TimeNs> durations, std::size_t first,
                                      std::size_t last) const;
  // Sum of the durations of [first, last): the busy time of events that do not overlap. O(1).
  [[nodiscard]] TimeNs busyIn(std::span<const TimeNs> durations, std::size_t first, std::size_t last) const;

  [[nodiscard]] std::size_t memoryBytes() const;

 private:
  [[nodiscard]] std::uint64_t busyBefore(std::span<const TimeNs> durations, std::size_t index) const;

  // Unsigned, so the sum over all rows of a rank may wrap around; differences within a row are still exact.
  Column<std::uint64_t> m_busyBeforeBlock;
  Column<std::uint32_t> m_longest;
};

} // namespace rankscope
