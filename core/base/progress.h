// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of a long function, and a flag to cancel it. The worker writes, any thread reads at any time. Each
// number is exact; numbers read together may be from slightly different moments.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankscope {

enum class LoadStage : std::uint8_t { Finding, Unpacking, OpeningCache, Reading, Placing, Done };

struct Progress {
  std::atomic<LoadStage> stage{LoadStage::Finding};
  std::atomic<std::uint64_t> bytesDone{0}; // size on disk
  std::atomic<std::uint64_t> bytesTotal{0};
  std::atomic<std::uint64_t> eventsDone{0};
  std::atomic<std::uint32_t> filesDone{0};
  std::atomic<std::uint32_t> filesTotal{0};
  std::atomic<bool> cancel{false};

  [[nodiscard]] bool cancelled() const { return cancel.load(std::memory_order_relaxed); }
};

} // namespace rankscope
