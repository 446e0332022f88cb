// SPDX-License-Identifier: GPL-3.0-or-later
// What a memory snapshot says over time, for one device: curves, the life of every block, segments and free
// memory at any entry, out-of-memory errors. Anchored at the end, where the state is known, because the
// beginning is lost when the ring of entries overflows. Points of time are numbers of entries; -1 is before
// the first one. Sums saturate. Pure. Cost: O(entries) once; the state at an entry costs O(blocks).
#pragma once

#include "core/analysis/memory/memory_role.h"
#include "core/analysis/memory/stack_role.h"
#include "core/model/memory_snapshot.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

inline constexpr std::int32_t kBeforeFirst = -1;
inline constexpr std::int32_t kNeverFreed = INT32_MAX;
inline constexpr std::uint32_t kNoBlock = UINT32_MAX;

struct BlockLife {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;   // requested
  std::int64_t rounded = 0; // whole block; estimated if it is not there at the end
  std::uint64_t stream = 0;
  std::uint32_t stack = 0;
  std::uint32_t block = kNoBlock; // in SnapshotDevice::blocks, if alive at the end
  std::int32_t allocated = kBeforeFirst;
  std::int32_t freeRequested = kNeverFreed;
  std::int32_t freed = kNeverFreed;
  MemoryRole role = MemoryRole::Other;
  RoleConfidence confidence = RoleConfidence::Medium;
  StackClass stackClass = StackClass::NoFrames;

  [[nodiscard]] bool recorded() const { return allocated != kBeforeFirst; }
  [[nodiscard]] bool aliveAt(std::int32_t entry) const { return allocated <= entry && freed > entry; }
};

struct SnapshotPeak {
  std::int64_t bytes = 0;
  std::int32_t entry = kBeforeFirst;
};

// Bytes at the end, from the blocks.
struct SnapshotEnd {
  std::int64_t reserved = 0;
  std::int64_t activeRequested = 0; // allocated, or freed while another stream uses it
  std::int64_t allocatedRequested = 0;
  std::int64_t activeRounded = 0;
  std::int64_t allocatedRounded = 0;
  std::int64_t releasable = 0; // free in segments that hold nothing: empty_cache() returns it
  std::int64_t stranded = 0;   // free in segments that hold something
  std::int64_t largestFree = 0;

  [[nodiscard]] std::int64_t roundingLoss() const { return activeRounded - activeRequested; }
  [[nodiscard]] std::optional<double> fragmentation() const {
    if (reserved <= 0) return std::nullopt;
    return static_cast<double>(reserved - activeRounded) / static_cast<double>(reserved);
  }
};

struct SegmentState {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t active = 0; // whole blocks
  std::int64_t largestHole = 0;
  std::uint64_t stream = 0;
  std::uint32_t pool = 0; // text of the snapshot
  bool expandable = false;
};

// Segments at a point of time, by address.
struct SegmentMap {
  std::vector<SegmentState> segments;
  std::int64_t releasable = 0;
  std::int64_t stranded = 0;
  std::int64_t largestHole = 0;
  std::size_t largestHoleIn = 0; // index in `segments`, if there is a hole
};

enum class OomCause : std::uint8_t {
  OtherPool,     // a free block is large enough, but of another stream or pool
  Retry,         // empty segments and the driver together had enough
  Fragmentation, // free memory had enough, but in pieces
  Full,
};
[[nodiscard]] std::string_view oomCauseId(OomCause cause);

struct OomReport {
  std::int32_t entry = 0;
  std::int64_t asked = 0;
  std::optional<std::int64_t> driverFree; // empty: the file does not say
  std::int64_t active = 0;
  std::int64_t reserved = 0;
  std::int64_t cached = 0; // reserved - active
  std::int64_t largestHole = 0;
  std::int64_t releasable = 0;
  std::uint64_t stream = 0;     // that asked
  std::uint64_t holeStream = 0; // that owns the largest hole
  std::uint32_t holePool = 0;   // text of the snapshot; empty if unknown
  OomCause cause = OomCause::Full;

  // Empty where it is not known what the driver had.
  [[nodiscard]] std::optional<std::int64_t> missing() const {
    return driverFree ? std::optional(asked - cached - *driverFree) : std::nullopt;
  }
};

struct DeviceReplay {
  const MemorySnapshot* snapshot = nullptr;
  const SnapshotDevice* device = nullptr;
  std::vector<BlockLife> lives; // those before the first entry by address, then by allocation
  std::vector<std::int64_t> active, allocated, reserved; // after each entry, requested bytes
  std::int64_t startActive = 0, startAllocated = 0, startReserved = 0;
  std::int64_t startFromBlocks = 0; // must equal startActive
  SnapshotPeak peakActive, peakAllocated, peakReserved;
  SnapshotEnd end;
  std::vector<OomReport> ooms;
  std::uint64_t contradictions = 0; // alloc over an open block, other size when freed
  std::uint64_t lost = 0;           // allocated and never freed, but not there at the end

  [[nodiscard]] std::int64_t activeAt(std::int32_t entry) const {
    return entry < 0 ? startActive : active[static_cast<std::size_t>(entry)];
  }
  [[nodiscard]] std::int64_t reservedAt(std::int32_t entry) const {
    return entry < 0 ? startReserved : reserved[static_cast<std::size_t>(entry)];
  }
  // The last entry, kBeforeFirst without entries.
  [[nodiscard]] std::int32_t last() const { return static_cast<std::int32_t>(active.size()) - 1; }
  // Entries that were probably lost at the beginning: the ring is full.
  [[nodiscard]] bool ringFull() const;
};

// The snapshot must outlive the result.
[[nodiscard]] DeviceReplay replayDevice(const MemorySnapshot& snapshot, const SnapshotDevice& device,
                                        const StackRoles& roles);

// Indices in `lives` of the blocks alive at an entry, largest first, then by address.
[[nodiscard]] std::vector<std::uint32_t> liveBlocks(const DeviceReplay& replay, std::int32_t entry);

[[nodiscard]] SegmentMap segmentsAt(const DeviceReplay& replay, std::int32_t entry);

} // namespace rankscope
