// SPDX-License-Identifier: GPL-3.0-or-later
// What the blocks of a memory snapshot are used for, as sums of requested bytes over time. Pure; O(n log n).
#pragma once

#include "core/analysis/memory/memory_role.h"
#include "core/analysis/memory/snapshot_replay.h"
#include "core/model/stack_pool.h"

#include <array>
#include <cstdint>

namespace rankscope {

struct SnapshotRoleBytes {
  std::array<std::int64_t, kMemoryRoleCount> atPeak{};
  std::array<std::int64_t, kMemoryRoleCount> largest{};
  // What the optimizer finds: gradients at its last allocation of a step, when what the backward pass leaves
  // behind for a moment is gone; the largest of all steps. Without an optimizer: the largest at any time.
  // Workspaces of cuBLAS, which may be made in a backward pass, are none.
  std::int64_t gradients = 0;
};

// stacks: those that the replay refers to.
[[nodiscard]] SnapshotRoleBytes snapshotRoleBytes(const StackPool& stacks, const DeviceReplay& replay);

} // namespace rankscope
