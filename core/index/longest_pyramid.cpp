// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/longest_pyramid.h"

#include "core/index/best_levels.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>
#include <vector>

namespace rankscope {

LongestPyramid::LongestPyramid(std::span<const TimeNs> durations)
    : m_longest(Column(buildBestLevels(durations, std::greater<>{}))) {
  std::vector<std::uint64_t> busyBeforeBlock;
  busyBeforeBlock.reserve(durations.size() / kLevelFanout + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (i % kLevelFanout == 0) busyBeforeBlock.push_back(sum);
    sum += static_cast<std::uint64_t>(durations[i]);
  }
  // Lets a query for the index one past the end read a block.
  if (durations.size() % kLevelFanout == 0) busyBeforeBlock.push_back(sum);
  m_busyBeforeBlock = Column(std::move(busyBeforeBlock));
}

bool LongestPyramid::wasBuiltOver(std::size_t durationCount) const {
  std::size_t levels = 0;
  for (std::size_t count = durationCount / kLevelFanout; count > 0; count /= kLevelFanout) levels += count;
  return m_busyBeforeBlock.size() == durationCount / kLevelFanout + 1 && m_longest.size() == levels &&
         std::ranges::all_of(m_longest, [&](std::uint32_t index) { return index < durationCount; });
}

std::size_t LongestPyramid::longestIn(std::span<const TimeNs> durations, std::size_t first,
                                      std::size_t last) const {
  return bestIn(durations, m_longest.span(), first, last, std::greater<>{});
}

std::uint64_t LongestPyramid::busyBefore(std::span<const TimeNs> durations, std::size_t index) const {
  const std::size_t block = index / kLevelFanout;
  std::uint64_t sum = m_busyBeforeBlock[block];
  for (std::size_t i = block * kLevelFanout; i < index; ++i) sum += static_cast<std::uint64_t>(durations[i]);
  return sum;
}

TimeNs LongestPyramid::busyIn(std::span<const TimeNs> durations, std::size_t first, std::size_t last) const {
  assert(first <= last && last <= durations.size());
  if (first == last) return 0;
  return static_cast<TimeNs>(busyBefore(durations, last) - busyBefore(durations, first));
}

std::size_t LongestPyramid::memoryBytes() const {
  return m_busyBeforeBlock.size() * sizeof(std::uint64_t) + m_longest.size() * sizeof(std::uint32_t);
}

} // namespace rankscope
