// SPDX-License-Identifier: GPL-3.0-or-later
// Minimum and maximum of any index range of a counter, so that a million samples can be drawn as one band per
// pixel. Built over the values (int64 or double, no NaN), which every query passes again. 0.54 bytes per
// sample. Immutable and thread-safe.
#pragma once

#include "core/index/best_levels.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rankscope {

template <class Value> struct MinMax {
  Value min{};
  Value max{};

  constexpr bool operator==(const MinMax&) const = default;
};

template <class Value> class MinMaxPyramid {
 public:
  MinMaxPyramid() = default;
  explicit MinMaxPyramid(std::span<const Value> values)
      : m_smallest(buildBestLevels(values, std::less<>{})),
        m_largest(buildBestLevels(values, std::greater<>{})) {}

  // Minimum and maximum of values[first, last) of the same column. first < last. O(log n).
  [[nodiscard]] MinMax<Value> over(std::span<const Value> values, std::size_t first, std::size_t last) const {
    return {values[bestIn(values, m_smallest, first, last, std::less<>{})],
            values[bestIn(values, m_largest, first, last, std::greater<>{})]};
  }

 private:
  std::vector<std::uint32_t> m_smallest;
  std::vector<std::uint32_t> m_largest;
};

} // namespace rankscope
