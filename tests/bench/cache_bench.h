// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of a job against reading it: how long keeping it takes and opening it again, from the page cache
// and from the disk. Figures are medians in seconds.
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::bench {

struct CacheRow {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t sourceBytes = 0;
  std::uint64_t cacheBytes = 0;
  double read = 0;  // from the sources
  double write = 0; // to the cache
  double warm = 0;  // from the cache, its pages in memory
  double cold = 0;  // from the cache, its pages and those of the sources on the disk
};

// Keeps the cache in a temporary folder. Throws std::runtime_error when nothing can be read or kept.
[[nodiscard]] CacheRow measureCache(const std::string& folder, int runs, unsigned threads);

} // namespace rankscope::bench
