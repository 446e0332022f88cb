// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/snapshot_roles.h"

#include "core/base/exact_sum.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

std::size_t indexOf(MemoryRole role) {
  return static_cast<std::size_t>(role);
}

// at::cuda::getNewWorkspace(), getCUDABlasLtWorkspace() and the like; known where native frames are recorded.
bool isWorkspace(const StackPool& stacks, std::uint32_t stack) {
  return std::ranges::any_of(stacks.stack(stack), [&](std::uint32_t frame) {
    const std::string_view function = stacks.text(stacks.frame(frame).function);
    return function.starts_with("at::cuda::") && function.find("Workspace") != std::string_view::npos;
  });
}

struct RoleChange {
  std::int32_t entry;
  std::int64_t bytes;
  MemoryRole role;
  StackClass stackClass;
  bool workspace;
};

// Gradients as the optimizer finds them.
class SettledGradients {
 public:
  void take(const RoleChange& change) {
    if (change.role == MemoryRole::Gradient && !change.workspace) {
      m_level += change.bytes;
      m_largest = std::max<std::int64_t>(m_largest, m_level);
    }
    if (change.bytes < 0) return;
    if (change.stackClass == StackClass::Optimizer) {
      m_optimizes = true;
      m_inOptimizer = m_level;
    }
    if (change.stackClass == StackClass::Backward) finishStep();
  }

  [[nodiscard]] std::int64_t result() {
    finishStep();
    return m_steps > 0 ? m_settled : m_largest;
  }

 private:
  void finishStep() {
    if (!m_optimizes) return;
    m_optimizes = false;
    ++m_steps;
    m_settled = std::max(m_settled, m_inOptimizer);
  }

  ExactSum m_level;
  std::int64_t m_largest = 0;
  bool m_optimizes = false;       // an optimizer has allocated since the last backward pass
  std::int64_t m_inOptimizer = 0; // at its last allocation
  std::int64_t m_settled = 0;
  std::size_t m_steps = 0; // of an optimizer
};

} // namespace

SnapshotRoleBytes snapshotRoleBytes(const StackPool& stacks, const DeviceReplay& replay) {
  std::array<ExactSum, kMemoryRoleCount> level{};
  std::vector<RoleChange> changes;
  changes.reserve(2 * replay.lives.size());
  for (const BlockLife& life : replay.lives) {
    const bool workspace = life.role == MemoryRole::Gradient && isWorkspace(stacks, life.stack);
    if (life.recorded())
      changes.push_back({life.allocated, life.bytes, life.role, life.stackClass, workspace});
    else
      level[indexOf(life.role)] += life.bytes;
    if (life.freed != kNeverFreed)
      changes.push_back({life.freed, -life.bytes, life.role, life.stackClass, workspace});
  }
  std::ranges::stable_sort(changes, {}, &RoleChange::entry);
  SnapshotRoleBytes found;
  SettledGradients gradients;
  const auto take = [&](auto& to) {
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) to[r] = std::max<std::int64_t>(level[r], 0);
  };
  take(found.atPeak);
  found.largest = found.atPeak;
  for (const RoleChange& change : changes) {
    ExactSum& of = level[indexOf(change.role)];
    of += change.bytes;
    std::int64_t& largest = found.largest[indexOf(change.role)];
    largest = std::max<std::int64_t>(largest, of);
    gradients.take(change);
    // The last of them is the level after the entry of the peak.
    if (change.entry == replay.peakActive.entry) take(found.atPeak);
  }
  found.gradients = gradients.result();
  return found;
}

} // namespace rankscope
