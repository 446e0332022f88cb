// SPDX-License-Identifier: GPL-3.0-or-later
// Every piece of memory that a recording saw allocated or freed, by device and address: who allocated it and
// from when to when it lived. A free without an allocation was allocated before the recording; what is never
// freed lives on after it; an allocation at an address that is still in use ends what was there (its free is
// missing). Records without an address make no blocks. O(n log n) for n records, 64 bytes a block.
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
  TimeRange life; // begin is kAllTime.begin when allocated before, end is kAllTime.end when never freed
  std::uint32_t allocation = kNoRecord; // index into trace.memory
  std::uint32_t release = kNoRecord;    // index into trace.memory
  EventIndex allocatedBy;               // operator, as by memoryOwners
};

struct MemoryBlocks {
  std::vector<MemoryBlock> blocks; // by begin of life, then device and address
  // How many of them, and their bytes.
  std::int64_t allocatedBefore = 0;
  ExactSum allocatedBeforeBytes;
  std::int64_t neverFreed = 0;
  ExactSum neverFreedBytes;
  std::int64_t withoutFree = 0; // ended by the next allocation at their address
};

// owners: memoryOwners of the same recording.
[[nodiscard]] MemoryBlocks memoryBlocks(const RankTrace& trace, const std::vector<EventIndex>& owners);

// The blocks of a device that live at t, the largest first; at most `limit` of them. O(blocks).
[[nodiscard]] std::vector<MemoryBlock> liveBlocks(const MemoryBlocks& blocks, MemoryDevice device, TimeNs t,
                                                  std::size_t limit = SIZE_MAX);

} // namespace rankscope
