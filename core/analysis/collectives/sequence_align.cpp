// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/sequence_align.h"

#include <algorithm>

namespace rankscope {

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// With more differences, the sequences are too different and the table of the longest common subsequence
// would not fit into memory; only the common ends are matched.
constexpr std::size_t kMaxDifferences = 4096;

// Myers' greedy algorithm (An O(ND) Difference Algorithm, 1986) between the common ends.
Pairs alignMiddle(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto m = static_cast<std::int64_t>(b.size());
  if (n == 0 || m == 0) return {};
  const std::int64_t maxCount = std::min<std::int64_t>(n + m, kMaxDifferences);
  std::vector<std::int64_t> furthest(static_cast<std::size_t>(2 * maxCount + 2), 0);
  const auto at = [&](std::vector<std::int64_t>& v, std::int64_t k) -> std::int64_t& {
    return v[static_cast<std::size_t>(k + maxCount)];
  };
  std::vector<std::vector<std::int64_t>> history;
  std::int64_t edits = -1;
  for (std::int64_t d = 0; d <= maxCount && edits < 0; ++d) {
    for (std::int64_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
      std::int64_t x = down ? (d == 0 ? 0 : at(furthest, k + 1)) : at(furthest, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      at(furthest, k) = x;
      if (x >= n && x - k >= m) {
        edits = d;
        break;
      }
    }
    const auto middle = furthest.begin() + maxCount;
    history.emplace_back(middle - d, middle + d + 1);
  }
  Pairs pairs;
  if (edits < 0) return pairs;
  std::int64_t x = n, y = m;
  for (std::int64_t d = edits; d >= 0; --d) {
    std::int64_t fromX = 0, fromY = 0;
    if (d > 0) {
      const std::vector<std::int64_t>& before = history[static_cast<std::size_t>(d - 1)];
      const auto reached = [&](std::int64_t k) { return before[static_cast<std::size_t>(k + d - 1)]; };
      const std::int64_t k = x - y;
      const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
      const std::int64_t from = down ? k + 1 : k - 1;
      fromX = reached(from);
      fromY = fromX - from;
    }
    while (x > fromX && y > fromY) {
      --x;
      --y;
      pairs.emplace_back(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    }
    x = fromX;
    y = fromY;
  }
  std::ranges::reverse(pairs);
  return pairs;
}

} // namespace

Pairs alignSequences(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                     Preference preference) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  const auto takeHead = [&] {
    while (head + tail < shorter && a[head] == b[head]) ++head;
  };
  const auto takeTail = [&] {
    while (head + tail < shorter && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  };
  if (preference == Preference::Head) takeHead();
  takeTail();
  takeHead();
  Pairs pairs;
  for (std::size_t i = 0; i < head; ++i)
    pairs.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i));
  for (const auto& [i, j] :
       alignMiddle(a.subspan(head, a.size() - head - tail), b.subspan(head, b.size() - head - tail))) {
    pairs.emplace_back(static_cast<std::uint32_t>(i + head), static_cast<std::uint32_t>(j + head));
  }
  for (std::size_t i = tail; i-- > 0;) {
    pairs.emplace_back(static_cast<std::uint32_t>(a.size() - 1 - i),
                       static_cast<std::uint32_t>(b.size() - 1 - i));
  }
  return pairs;
}

Pairs alignAllowed(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                   const std::function<bool(std::uint32_t, std::uint32_t)>& allowed) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::uint32_t> best((a.size() + 1) * columns, 0); // number of pairs in a[i..], b[j..]
  std::vector<bool> fits(a.size() * b.size(), false);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      const bool pair = a[i] == b[j] && allowed(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
      fits[i * b.size() + j] = pair;
      std::uint32_t maxCount = std::max(best[(i + 1) * columns + j], best[i * columns + j + 1]);
      if (pair) maxCount = std::max(maxCount, best[(i + 1) * columns + j + 1] + 1);
      best[i * columns + j] = maxCount;
    }
  }
  Pairs pairs;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::uint32_t here = best[i * columns + j];
    if (fits[i * b.size() + j] && here == best[(i + 1) * columns + j + 1] + 1) {
      pairs.emplace_back(static_cast<std::uint32_t>(i++), static_cast<std::uint32_t>(j++));
    } else if (here == best[(i + 1) * columns + j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

} // namespace rankscope
