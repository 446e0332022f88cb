// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts a sequence of a few sorted runs, such as the rows of a track or the buffers of a profiler. O(n log
// runs); one run costs one pass and no memory. Adjacent runs of similar length are merged first, so a long
// run is not copied once for each of many short ones. Stable. Uses memory for at most half of the values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

namespace detail {

// Merges the sorted values[first, middle) and values[middle, last). Moves only values out of order.
template <class T, class Less>
void mergeNeighbors(std::span<T> values, std::size_t first, std::size_t middle, std::size_t last, Less less,
                    std::vector<T>& spare) {
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto from = std::upper_bound(at(first), at(middle), values[middle], less);
  const auto to = std::lower_bound(at(middle), at(last), values[middle - 1], less);
  if (at(middle) - from <= to - at(middle)) {
    spare.assign(from, at(middle));
    auto out = from;
    auto left = spare.begin();
    auto right = at(middle);
    while (left != spare.end() && right != to) *out++ = less(*right, *left) ? *right++ : *left++;
    std::copy(left, spare.end(), out);
  } else {
    spare.assign(at(middle), to);
    auto out = to;
    auto left = at(middle);
    auto right = spare.end();
    while (left != from && right != spare.begin()) {
      *--out = less(*(right - 1), *(left - 1)) ? *--left : *--right;
    }
    std::copy_backward(spare.begin(), right, out);
  }
}

} // namespace detail

// less(a, b): whether a sorts before b.
template <class T, class Less> void sortRuns(std::span<T> values, Less less) {
  std::vector<std::size_t> begins; // starts of the runs not merged yet
  std::vector<T> spare;
  const auto mergeLastTwo = [&](std::size_t end) {
    const std::size_t middle = begins.back();
    begins.pop_back();
    detail::mergeNeighbors(values, begins.back(), middle, end, less, spare);
  };
  for (std::size_t i = 0; i < values.size();) {
    begins.push_back(i);
    for (++i; i < values.size() && !less(values[i], values[i - 1]);) ++i;
    // Merge unless the previous run is more than twice as long: keeps few runs of similar lengths.
    while (begins.size() > 1 && begins.back() - begins[begins.size() - 2] <= 2 * (i - begins.back()))
      mergeLastTwo(i);
  }
  while (begins.size() > 1) mergeLastTwo(values.size());
}

template <class T, class Less> void sortRuns(std::vector<T>& values, Less less) {
  sortRuns(std::span<T>(values), less);
}

} // namespace rankscope
