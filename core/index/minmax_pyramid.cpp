// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/minmax_pyramid.h"

#include <functional>

#include "core/index/best_levels.h"

namespace rankscope {

MinMaxPyramid::MinMaxPyramid(std::span<const std::int64_t> values)
    : m_smallest(buildBestLevels(values, std::less<>{})),
      m_largest(buildBestLevels(values, std::greater<>{})) {}

MinMax MinMaxPyramid::over(std::span<const std::int64_t> values, std::size_t first, std::size_t last) const {
  return {values[bestIn(values, m_smallest, first, last, std::less<>{})],
          values[bestIn(values, m_largest, first, last, std::greater<>{})]};
}

} // namespace rankscope
