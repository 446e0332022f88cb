// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/memory_blocks.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

namespace {

// Records with an address, sorted by device, address and time; at equal times in recorded order.
std::vector<std::uint32_t> recordsByAddress(const RankTrace& trace) {
  std::vector<std::uint32_t> records;
  for (std::uint32_t i = 0; i < trace.memory.size(); ++i) {
    if (trace.memory[i].address != 0 && trace.memory[i].bytes != 0) records.push_back(i);
  }
  std::ranges::sort(records, {}, [&](std::uint32_t i) {
    const MemoryEvent& record = trace.memory[i];
    return std::tuple(MemoryDevice::of(record), record.address, i);
  });
  return records;
}

} // namespace

MemoryBlocks memoryBlocks(const RankTrace& trace, const std::vector<EventIndex>& owners) {
  MemoryBlocks result;
  MemoryBlock open; // the live block at the record's address, if its size is not 0
  const auto close = [&](TimeNs end, std::uint32_t release) {
    open.life.end = end;
    open.release = release;
    result.blocks.push_back(open);
    open.bytes = 0;
  };
  const auto leaveOpen = [&] {
    if (open.bytes == 0) return;
    ++result.neverFreed;
    result.neverFreedBytes += open.bytes;
    close(kAllTime.end, MemoryBlock::kNoRecord);
  };
  for (const std::uint32_t i : recordsByAddress(trace)) {
    const MemoryEvent& record = trace.memory[i];
    const MemoryDevice device = MemoryDevice::of(record);
    if (device != open.device || record.address != open.address) leaveOpen();
    if (record.bytes > 0) {
      if (open.bytes != 0) {
        ++result.withoutFree;
        close(record.time, MemoryBlock::kNoRecord);
      }
      open = {device, record.address,         record.bytes, {record.time, kAllTime.end},
              i,      MemoryBlock::kNoRecord, owners[i]};
      continue;
    }
    if (open.bytes == 0) {
      ++result.allocatedBefore;
      result.allocatedBeforeBytes -= record.bytes;
      open = {device, record.address, -record.bytes, {kAllTime.begin, record.time}, MemoryBlock::kNoRecord, i,
              {}};
    }
    close(record.time, i);
  }
  leaveOpen();
  std::ranges::sort(result.blocks, {}, [](const MemoryBlock& block) {
    return std::tuple(block.life.begin, block.device, block.address, block.life.end);
  });
  return result;
}

std::vector<MemoryBlock> liveBlocks(const MemoryBlocks& blocks, MemoryDevice device, TimeNs t,
                                    std::size_t limit) {
  std::vector<MemoryBlock> live;
  for (const MemoryBlock& block : blocks.blocks) {
    if (block.life.begin > t) break;
    if (block.device == device && block.life.contains(t)) live.push_back(block);
  }
  std::ranges::stable_sort(live, std::greater<>{}, &MemoryBlock::bytes);
  if (live.size() > limit) live.resize(limit);
  return live;
}

} // namespace rankscope
