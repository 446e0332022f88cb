// SPDX-License-Identifier: GPL-3.0-or-later
// What each memory block of an ordinary recording is used for: by where it was allocated and when it was
// freed, without knowing tensors. Rules, first that holds: freed within the operator that allocated it:
// temporary; in an optimizer's step: its state or temporary; in the backward pass: gradient, if accumulated
// or alive after it, else detail; a bucket of DDP: gradient; created or copied outside of modules: input;
// everything else: activation. What was there before the recording is known as a sum only; how it divides is
// an estimate. Pure; O(n log n).
#pragma once

#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/memory/memory_role.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Blocks that live as gradients do and are no gradient of a parameter.
enum class BlockUse : std::uint8_t {
  AsRole,
  CublasWorkspace, // kept until the process ends
  DdpBucket,       // a copy of gradients, or what gradients are views of
};

struct BlockRole {
  MemoryRole role = MemoryRole::Unknown;
  RoleConfidence confidence = RoleConfidence::Low;
  BlockUse use = BlockUse::AsRole;
};

using RoleBytes = std::array<std::int64_t, kMemoryRoleCount>;

struct RoleChange {
  TimeNs time = 0;
  std::int64_t bytes = 0; // signed
  MemoryRole role = MemoryRole::Unknown;
};

struct DeviceRoles {
  MemoryDevice device;
  RoleBytes start{};               // before the first record
  std::vector<RoleChange> changes; // by time
  TimeRange extent;                // from the first record to the last
  TimeNs peakTime = 0;             // of the sum over roles
  RoleBytes atPeak{};
  RoleBytes largest{};
  RoleBytes mean{}; // over time
  RoleBytes end{};
  std::array<RoleConfidence, kMemoryRoleCount> confidence{}; // of most of its bytes
  // Gradients were accumulated, but none was allocated: they are part of what was there before.
  bool gradientsBefore = false;
  // Estimates within BeforeRecording; 0 if unknown.
  std::int64_t parametersBefore = 0;
  std::int64_t optimizerBefore = 0;
  // Largest sum of gradients at the end of a backward pass, without workspaces of cuBLAS made in it and
  // without buckets of DDP, unless gradients are only there.
  std::int64_t gradientsAfterBackward = 0;
  std::int64_t bucketCopies = 0; // buckets of DDP beside them, at most
  // Blocks whose free was not recorded: they end where their address is allocated again.
  std::int64_t blocksWithoutFree = 0;
  std::int64_t bytesWithoutFree = 0;

  // Levels of all roles at a time.
  [[nodiscard]] RoleBytes at(TimeNs time) const;
};

struct MemoryRoles {
  std::vector<BlockRole> blocks;    // as in MemoryBlocks
  std::vector<DeviceRoles> devices; // GPUs by id, then the host
  std::vector<TimeRange> backwards; // backward passes, by time
  std::string optimizer;            // "Adam", from its annotation; empty if unknown
  bool sharded = false;             // FSDP or ZeRO operators were recorded
  bool ddp = false;                 // DistributedDataParallel
};

// window: figures of devices are of this range. Without addresses in the recording, there are no devices.
[[nodiscard]] MemoryRoles memoryRoles(const RankTrace& trace, const StringTable& names,
                                      const MemoryBlocks& blocks, TimeRange window = kAllTime);

} // namespace rankscope
