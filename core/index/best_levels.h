// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the best element of any index range of an array, for any strict order. Each level stores the best of
// every 16 elements of the level below; all levels are in one vector of 32-bit indices (0.27 bytes per
// element). The values are not copied; every call passes them again. Among equal elements the lowest index
// wins. Building is O(n); a query reads at most 30 elements per level.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kLevelFanout = 16;

// better(a, b): whether a is strictly better than b. values: at most 2^32 - 1.
template <class Value, class Better>
[[nodiscard]] std::vector<std::uint32_t> buildBestLevels(std::span<const Value> values, Better better) {
  assert(values.size() < 0xffffffffu);
  std::vector<std::uint32_t> levels;
  levels.reserve(values.size() / (kLevelFanout - 1) + 1);
  const auto bestOf = [&](std::size_t first, std::size_t last, auto indexOf) {
    std::uint32_t best = indexOf(first);
    for (std::size_t i = first + 1; i < last; ++i) {
      if (better(values[indexOf(i)], values[best])) best = indexOf(i);
    }
    return best;
  };
  for (std::size_t i = 0; i + kLevelFanout <= values.size(); i += kLevelFanout) {
    levels.push_back(
        bestOf(i, i + kLevelFanout, [](std::size_t k) { return static_cast<std::uint32_t>(k); }));
  }
  // Only full blocks are stored. Queries read the remainder at the end from the level below.
  for (std::size_t from = 0, count = levels.size(); count >= kLevelFanout;) {
    const std::size_t next = levels.size();
    for (std::size_t i = 0; i + kLevelFanout <= count; i += kLevelFanout) {
      levels.push_back(bestOf(from + i, from + i + kLevelFanout, [&](std::size_t k) { return levels[k]; }));
    }
    from = next;
    count /= kLevelFanout;
  }
  return levels;
}

// Index of the best of values[first, last). levels: built from the same values and order. first < last.
template <class Value, class Better>
[[nodiscard]] std::size_t bestIn(std::span<const Value> values, std::span<const std::uint32_t> levels,
                                 std::size_t first, std::size_t last, Better better) {
  assert(first < last && last <= values.size());
  std::size_t best = first;
  Value bestValue = values[first];
  const auto take = [&](std::size_t candidate) {
    const Value value = values[candidate];
    if (better(value, bestValue) || (candidate < best && !better(bestValue, value))) {
      best = candidate;
      bestValue = value;
    }
  };
  // Compares the elements of [first, last) outside of whole blocks on both sides. True if whole blocks
  // remain.
  const auto narrowToBlocks = [&](auto indexOf) {
    while (first < last && first % kLevelFanout != 0) take(indexOf(first++));
    while (first < last && last % kLevelFanout != 0) take(indexOf(--last));
    first /= kLevelFanout;
    last /= kLevelFanout;
    return first < last;
  };
  bool more = narrowToBlocks([](std::size_t i) { return i; });
  std::size_t from = 0;
  for (std::size_t count = values.size() / kLevelFanout; more; count /= kLevelFanout) {
    more = narrowToBlocks([&](std::size_t i) { return std::size_t{levels[from + i]}; });
    from += count;
  }
  return best;
}

} // namespace rankscope
