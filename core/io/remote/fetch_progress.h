// SPDX-License-Identifier: GPL-3.0-or-later
// How far fetching from remotes is. The load writes, any thread reads at any time; each number is exact, and
// numbers read together may be from slightly different moments.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankscope {

struct FetchProgress {
  enum class Stage : std::uint8_t { None, Listing, Fetching };
  std::atomic<Stage> stage{Stage::None};
  std::atomic<std::uint64_t> bytesDone{0};
  std::atomic<std::uint64_t> bytesTotal{0}; // with those that are done
  std::atomic<std::uint64_t> speed{0};      // bytes per second; 0: unknown
};

} // namespace rankscope
