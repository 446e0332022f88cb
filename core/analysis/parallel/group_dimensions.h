// SPDX-License-Identifier: GPL-3.0-or-later
// Along which dimension each collective communicates, and the groups of the job with their dimension.
// Evidence in order: the group's name, then labels around the call, then its traffic. A group that is used
// for two things (all ranks, for gradients and embeddings) is listed once for each. Rules: the guide,
// Parallelism.
#pragma once

#include "core/analysis/parallel/call_uses.h"
#include "core/analysis/parallel/layout_settings.h"
#include "core/analysis/parallel/pipelines.h"

#include <string>
#include <vector>

namespace rankscope {

enum class LayoutConfidence : std::uint8_t { Named, Pattern, Guess };

// "named", "pattern", "guess".
[[nodiscard]] std::string_view layoutConfidenceText(LayoutConfidence confidence);

struct ParallelGroup {
  std::string name; // label of the group
  RankDimension dimension = RankDimension::Unknown;
  std::string evidence;
  LayoutConfidence confidence = LayoutConfidence::Guess;
  std::int64_t size = 0;             // 0 unknown
  std::vector<std::int32_t> members; // ascending; empty if unknown
  std::int64_t stride = 0;           // between members; 0 if they are irregular or unknown
  bool joined = false;               // joins two dimensions, so that its size is no degree ("mesh_dp_cp")
};

struct GroupDimensions {
  std::vector<ParallelGroup> groups;              // by dimension, then members
  std::vector<std::vector<RankDimension>> ofCall; // by RankIndex and index of the call
};

// uses: by RankIndex.
[[nodiscard]] GroupDimensions groupDimensions(const Analysis& analysis,
                                              const std::vector<std::vector<CallUse>>& uses,
                                              const JobPipelines& pipelines);

// The distance of regular members; 0 for others.
[[nodiscard]] std::int64_t strideOf(const std::vector<std::int32_t>& members);

} // namespace rankscope
