// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts what is made of a few sorted pieces laid end to end, as the rows of a track are: O(n log pieces), one
// pass and no memory when there is only one. Stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace rankscope {

// less(a, b): whether a belongs before b.
template <class T, class Less> void sortRuns(std::vector<T>& values, Less less) {
  std::vector<std::size_t> bounds{0};
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (less(values[i], values[i - 1])) bounds.push_back(i);
  }
  if (bounds.size() == 1) return;
  bounds.push_back(values.size());
  std::vector<T> merged(values.size());
  const auto at = [](std::vector<T>& of, std::size_t index) {
    return of.begin() + static_cast<std::ptrdiff_t>(index);
  };
  while (bounds.size() > 2) {
    std::vector<std::size_t> left{0};
    for (std::size_t run = 0; run + 1 < bounds.size(); run += 2) {
      const std::size_t middle = bounds[run + 1];
      const std::size_t end = run + 2 < bounds.size() ? bounds[run + 2] : middle;
      std::merge(at(values, bounds[run]), at(values, middle), at(values, middle), at(values, end),
                 at(merged, bounds[run]), less);
      left.push_back(end);
    }
    values.swap(merged);
    bounds.swap(left);
  }
}

} // namespace rankscope
