// SPDX-License-Identifier: GPL-3.0-or-later
// Memory blocks that were allocated or freed in a recording, by device and address, with allocating operator
// and lifetime. A free without an allocation was allocated before the recording. A block without a free lives
// beyond its end. An allocation at an address in use ends the previous block, whose free is missing. Records
// without an address are ignored. O(n log n) for n records, 64 bytes per block.
#pragma once

#include "core/analysis/memory/memory_profile.h"
#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct MemoryBlock {
  static constexpr std::uint32_t kNoRecord = 0xffffffffu;

  MemoryDevice device;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  TimeRange life; // kAllTime.begin: allocated before the recording; kAllTime.end: never freed
  std::uint32_t allocation = kNoRecord; // index into trace.memory
  std::uint32_t release = kNoRecord;    // index into trace.memory
  EventIndex allocatedBy;               // operator, from memoryOwners
};

struct MemoryBlocks {
  std::vector<MemoryBlock> blocks; // by begin of lifetime, then device and address
  // Number and bytes of these blocks.
  std::int64_t allocatedBefore = 0;
  ExactSum allocatedBeforeBytes;
  std::int64_t neverFreed = 0;
  ExactSum neverFreedBytes;
  std::int64_t withoutFree = 0; // ended by the next allocation at the same address
};

// owners: memoryOwners of the same recording.
[[nodiscard]] MemoryBlocks memoryBlocks(const RankTrace& trace, const std::vector<EventIndex>& owners);

// Blocks of a device that are alive at t, largest first, at most `limit`. O(blocks).
[[nodiscard]] std::vector<MemoryBlock> liveBlocks(const MemoryBlocks& blocks, MemoryDevice device, TimeNs t,
                                                  std::size_t limit = SIZE_MAX);

} // namespace rankscope
