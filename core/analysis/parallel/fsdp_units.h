// SPDX-License-Identifier: GPL-3.0-or-later
// Units of FSDP in each step: a unit is a module whose parameters are gathered together. Named by its labels
// ("layers.0") where FSDP2 recorded them, otherwise by its place among the gathers of the forward pass; the
// backward pass gathers and reduces in the opposite order. Pure passes over the rank's collectives and the
// operators that copy.
#pragma once

#include "core/analysis/collectives/group_names.h"
#include "core/analysis/parallel/call_uses.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct FsdpUnit {
  std::size_t step = 0; // in wholeStepWindows
  std::string unit;
  std::int64_t elements = 0; // of all shards, with padding; 0 unknown
  std::int64_t reduced = 0;  // elements of its ReduceScatter; 0 none
  std::int64_t gathers = 0;
  std::int64_t backwardGathers = 0;
  std::int64_t reduces = 0;
  TimeNs forwardGather = 0;
  TimeNs backwardGather = 0;
  TimeNs exposed = 0;                 // of its gathers
  std::optional<TimeNs> prefetchLead; // smallest, from the end of a gather to its first use; negative: waited
  TimeNs copyIn = 0;
  TimeNs copyOut = 0;
  TimeNs reduceScatter = 0;
  // Forward work that checkpointing ran again for it; empty where no label says which unit ran.
  std::optional<TimeNs> recomputed;
  TimeNs firstGather = 0; // begin, on the clock of the rank
  NameId dtype;           // of its ReduceScatter
};

// One gather or reduction, for drawing.
struct FsdpCall {
  std::size_t step = 0;
  std::size_t unit = 0; // place in units
  std::size_t call = 0; // of Analysis::collectiveCalls
  bool gather = false;
  bool backward = false;
  TimeRange range;
  TimeNs exposed = 0;
};

struct FsdpUnits {
  std::vector<FsdpUnit> units; // by step, then first gather
  std::vector<FsdpCall> calls; // by begin

  [[nodiscard]] bool empty() const { return units.empty(); }
};

// Which parameters are kept whole: what the gathers say.
enum class ZeroStage : std::uint8_t {
  Unknown,
  OptimizerStates, // 1: gathered after the optimizer, gradients reduced on all ranks
  Gradients,       // 2: gathered once a step, gradients scattered
  Parameters,      // 3: gathered again for backward
};

// Of steps that begin in the window of the analysis. dimensions, uses: of the rank's calls.
[[nodiscard]] FsdpUnits fsdpUnits(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                                  const std::vector<RankDimension>& dimensions);

[[nodiscard]] ZeroStage zeroStageOf(const FsdpUnits& units);

// "layers.0" of "FSDP::all_gather (layers.0)"; empty of other names.
[[nodiscard]] std::string_view fsdpUnitOfLabel(std::string_view label);

} // namespace rankscope
