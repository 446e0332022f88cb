// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_ranges.h"

#include <algorithm>

namespace rankscope::peers {

Ranges merged(Ranges ranges) {
  std::ranges::stable_sort(ranges, {}, &Range::first);
  Ranges result;
  for (const Range& range : ranges) {
    if (result.empty()) {
      result.push_back(range);
    } else if (range.second > result.back().second) {
      if (range.first <= result.back().second)
        result.back().second = range.second;
      else
        result.push_back(range);
    }
  }
  return result;
}

Ranges common(const Ranges& one, const Ranges& other) {
  Ranges result;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const Range both{std::max(one[i].first, other[j].first), std::min(one[i].second, other[j].second)};
    if (both.first < both.second) result.push_back(both);
    one[i].second < other[j].second ? ++i : ++j;
  }
  return result;
}

Ranges without(const Ranges& one, const Ranges& other) {
  Ranges result;
  std::size_t j = 0;
  for (Range rest : one) {
    bool covered = false;
    for (; j < other.size() && !covered;) {
      if (other[j].second <= rest.first) {
        ++j;
      } else if (other[j].first > rest.first) {
        if (other[j].first >= rest.second) break;
        result.emplace_back(rest.first, other[j].first);
        rest.first = other[j].first;
      } else if (other[j].second < rest.second) {
        rest.first = other[j].second;
        ++j;
      } else {
        covered = true;
      }
    }
    if (!covered) result.push_back(rest);
  }
  return result;
}

double totalLength(const Ranges& ranges) {
  double sum = 0;
  for (const Range& range : ranges) sum += range.second - range.first;
  return sum;
}

} // namespace rankscope::peers
