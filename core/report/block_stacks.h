// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks that allocated the blocks of a memory snapshot, merged into a tree as a flame graph draws it:
// the outermost frame is the root's child, and a stack weighs the bytes of its blocks. Frames of the
// Python interpreter itself, of what records stacks and of what starts threads are left out. Blocks without a
// stack are a group of their own by the reason. Pure; O(blocks + frames of their distinct stacks).
#pragma once

#include "core/analysis/stacks/stack_tree.h"
#include "core/report/side_results.h"

namespace rankscope {

struct BlockStacks {
  StackTree tree;
  StackSums sums; // by node: requested bytes, and blocks
};

// Of the blocks alive at `to`; of those allocated after `from` alone, unless it is kBeforeFirst.
[[nodiscard]] BlockStacks blockStacks(const SnapshotResults& result, const DeviceReplay& replay,
                                      std::int32_t from, std::int32_t to);

} // namespace rankscope
