// SPDX-License-Identifier: GPL-3.0-or-later
// What some work needs of memory, measured in a child process that does nothing else. Pages of mapped files
// are the system's to take back, so they count only in residentBytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace rankscope::bench {

struct MemoryUse {
  std::uint64_t peakBytes = 0;     // at any time, looked at every tenth of a millisecond
  std::uint64_t keptBytes = 0;     // while the result is held
  std::uint64_t residentBytes = 0; // at most, mapped files included, as getrusage tells
};

// work returns what holds its result. All 0 when there is no second process to be had or it failed.
[[nodiscard]] MemoryUse memoryOf(const std::function<std::shared_ptr<const void>()>& work);

} // namespace rankscope::bench
