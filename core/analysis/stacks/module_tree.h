// SPDX-License-Identifier: GPL-3.0-or-later
// The modules of a model as they called each other, rebuilt from the calls of nn.Module in the Python stack.
// A module is named by its path from the outermost one; calls of one path are merged, and an instance that is
// called in several places is a module in each. Device time belongs to the innermost module whose call
// launched it. The backward pass belongs to the module that called the forward operator: its functions are
// joined by the profiler's arrows, else by sequence number. Modules that run again inside the backward pass
// (activation checkpointing) count to the path of their forward calls where it is unique. Constant; O(n log
// n) for the rank's events.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/stacks/module_node.h"

#include <vector>

namespace rankscope {

struct ModuleOptions {
  // Recomputed calls count to the path of their forward calls; else they have paths of their own.
  bool mergeRecomputation = true;
};

// Of the analysis's window. Empty without Python frames.
[[nodiscard]] ModuleTree moduleTree(const Analysis& analysis, RankIndex rank, ModuleOptions options = {});

// What a call of the host belongs to, and what it launched.
enum class ModulePhase : std::uint8_t { None, Forward, Recompute, Backward };
struct ModuleOwner {
  ModulePhase phase = ModulePhase::None;
  std::uint32_t node = ModuleNode::kNone; // of the tree; none of a backward function without a known module
};

// The tree with the owner of each call. Without modules the tree is empty and the calls of the backward pass
// are known all the same.
struct ModuleCalls {
  ModuleTree tree;
  CallNesting calls;
  std::vector<ModuleOwner> ofCalls; // by event up to the last call

  // Of an event that is no call: of none.
  [[nodiscard]] ModuleOwner of(EventIndex call) const {
    return call.value < ofCalls.size() ? ofCalls[call.value] : ModuleOwner();
  }
};
[[nodiscard]] ModuleCalls moduleCalls(const Analysis& analysis, RankIndex rank, ModuleOptions options = {});

} // namespace rankscope
