// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.compile shows of itself in a recording: regions that TorchDynamo compiled ("Torch-Compiled
// Region: 0/1", frame 0 compiled for the second time), the graphs that ran in them ("## Call CompiledFxGraph
// HASH ##"), guards that were looked up, and compilation while the job ran. A graph break leaves eager
// operators between regions of two frames in one step. Plain data; O(host events).
#pragma once

#include "core/analysis/operators/call_tree.h"
#include "core/analysis/steps/step_window.h"
#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// Which compiled code an event belongs to.
struct CompiledGraph {
  std::string region; // "0/0": frame and recompilation; empty: not known
  std::string graph;  // begin of its hash; empty: not known

  // "0/0 fal4xpia".
  [[nodiscard]] std::string text() const;
  bool operator==(const CompiledGraph&) const = default;
};

struct CompiledCalls {
  std::vector<CompiledGraph> graphs;  // by first call
  std::vector<std::uint32_t> graphOf; // by host event: a place in `graphs` plus 1; 0: not compiled
};

[[nodiscard]] CompiledCalls compiledCalls(const StringTable& names, const CallTree& tree);

// All calls of a region, or of a graph outside of regions.
struct CompiledRegion {
  std::string name; // "0/0", or the begin of a graph's hash
  std::optional<std::int64_t> frame;
  std::optional<std::int64_t> recompilation; // 0: compiled once
  std::vector<std::string> graphs;           // begins of hashes
  EventIndex first;
  std::int64_t calls = 0;
  ExactSum host;
  ExactSum device;
  std::int64_t kernels = 0; // device events that it launched
  // Times that another region followed in the same step after eager operators, and these, the most frequent
  // first.
  std::int64_t breaks = 0;
  std::vector<std::pair<NameId, std::int64_t>> eagerAfter;
};

struct CompiledRegions {
  std::vector<CompiledRegion> regions; // by first call
  std::int64_t eagerKernels = 0;       // device events that no compiled region launched
  ExactSum eagerDevice;
  std::int64_t lookups = 0; // of guards
  ExactSum lookupTime;
  std::int64_t compilations = 0; // outermost events of the compiler
  ExactSum compileTime;

  [[nodiscard]] bool any() const { return !regions.empty() || lookups > 0 || compilations > 0; }
};

// Of the events that begin in the window. steps: of the whole recording.
[[nodiscard]] CompiledRegions compiledRegions(const RankTrace& trace, const StringTable& names,
                                              const CallTree& tree, const StepWindows& steps,
                                              TimeRange window = kAllTime);

} // namespace rankscope
