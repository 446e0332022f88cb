// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from the files beside traces: replays of memory snapshots, and who makes a job hang.
// Immutable; refers to the files, which it keeps.
#pragma once

#include "core/analysis/collectives/hang_analysis.h"
#include "core/analysis/memory/snapshot_replay.h"
#include "core/analysis/memory/stack_role.h"
#include "core/model/side_files.h"

#include <memory>
#include <optional>
#include <vector>

namespace rankscope {

struct SnapshotResults {
  const MemorySnapshot* snapshot = nullptr;
  StackRoles roles;
  std::vector<DeviceReplay> devices; // as in the snapshot
};

struct SideResults {
  std::shared_ptr<const SideFiles> files;
  std::vector<SnapshotResults> snapshots;
  std::optional<HangAnalysis> hang; // empty without dumps
};

[[nodiscard]] std::shared_ptr<const SideResults> sideResults(std::shared_ptr<const SideFiles> files,
                                                             unsigned threadCount);

} // namespace rankscope
