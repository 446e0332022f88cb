// SPDX-License-Identifier: GPL-3.0-or-later
// A memory snapshot of PyTorch's caching allocator (torch.cuda.memory._dump_snapshot): its reserved segments
// with their blocks at the end, and what it did before, as far as it was recorded. Sizes in bytes: damaged
// ones (negative, beyond 2^50) are read as 0 and counted. Times in microseconds since 1970. Immutable once
// read.
#pragma once

#include "core/model/stack_pool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

enum class AllocatorAction : std::uint8_t {
  Alloc,
  FreeRequested, // the tensor died
  FreeCompleted, // the block can be reused; later if other streams use it
  Free,          // both
  SegmentAlloc,  // cudaMalloc
  SegmentFree,
  SegmentMap, // of an expandable segment
  SegmentUnmap,
  Snapshot,
  OutOfMemory,
  Unknown, // no effect
};

enum class BlockState : std::uint8_t { Active, PendingFree, Inactive };

inline constexpr std::int64_t kNoMicroseconds = INT64_MIN;
inline constexpr std::uint64_t kUnknownFree = UINT64_MAX; // the file does not say what the driver had free

struct AllocatorEntry {
  std::uint64_t address = 0; // OutOfMemory: bytes that the driver had free, or kUnknownFree
  std::int64_t bytes = 0;    // as requested; of segments as reserved
  std::int64_t time = kNoMicroseconds;
  std::uint64_t stream = 0;
  std::uint32_t stack = 0;   // StackPool
  std::uint32_t context = 0; // text: region of torch.compile; empty if none
  AllocatorAction action = AllocatorAction::Unknown;
};

struct SnapshotBlock {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;     // whole block
  std::int64_t requested = 0; // of it
  std::uint32_t stack = 0;
  std::uint32_t segment = 0; // index in SnapshotDevice::segments
  BlockState state = BlockState::Inactive;
};

struct SnapshotSegment {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::uint64_t stream = 0;
  std::uint32_t pool = 0; // text "0,0": the default pool; another one is private to a CUDA graph or the user
  std::uint32_t firstBlock = 0;
  std::uint32_t blockCount = 0;
  std::uint32_t stack = 0; // of the cudaMalloc
  bool large = false;
  bool expandable = false;
};

// A range of torch.profiler.record_function on a device.
struct SnapshotAnnotation {
  std::uint32_t name = 0; // text
  std::int64_t begin = kNoMicroseconds;
  std::int64_t end = kNoMicroseconds; // kNoMicroseconds: still open
};

struct SnapshotDevice {
  int device = 0;
  std::vector<SnapshotSegment> segments; // in the order of the file
  std::vector<SnapshotBlock> blocks;     // by segment, then address
  std::vector<AllocatorEntry> entries;   // in the order of the file
  std::vector<SnapshotAnnotation> annotations;
  std::optional<std::int64_t> ringSize; // newest versions say how many entries are kept
  std::optional<bool> overflowed;       // and whether some were lost
  std::uint64_t timeStepsBack = 0;      // entries before one that is listed earlier
};

struct MemorySnapshot {
  std::string path;
  std::optional<int> rank;
  std::string rankFrom; // name or folder; empty if unknown
  std::uint64_t bytes = 0;
  int protocol = 0;
  bool partial = false;         // the file is truncated
  bool fromPage = false;        // from an HTML page of memory_viz
  std::uint64_t damaged = 0;    // values that cannot be
  std::uint64_t sizesApart = 0; // segments whose sizes are not those of their blocks
  StackPool stacks;
  std::vector<std::pair<std::string, std::string>> settings; // of the allocator
  std::vector<SnapshotDevice> devices;                       // those with segments or entries
};

} // namespace rankscope
