// SPDX-License-Identifier: GPL-3.0-or-later
// How far a long function has come, readable from another thread at any time, and a cancel flag.
// The worker writes, any thread reads; each number is exact by itself, together they are a snapshot good
// enough to show.
#pragma once

#include <atomic>
#include <cstdint>

namespace rankscope {

enum class LoadStage : std::uint8_t { Finding, OpeningCache, Reading, Placing, Done };

struct Progress {
  std::atomic<LoadStage> stage{LoadStage::Finding};
  std::atomic<std::uint64_t> bytesDone{0}; // of the files as they lie on disk
  std::atomic<std::uint64_t> bytesTotal{0};
  std::atomic<std::uint64_t> eventsDone{0};
  std::atomic<std::uint32_t> filesDone{0};
  std::atomic<std::uint32_t> filesTotal{0};
  std::atomic<bool> cancel{false};

  [[nodiscard]] bool cancelled() const { return cancel.load(std::memory_order_relaxed); }
};

} // namespace rankscope
