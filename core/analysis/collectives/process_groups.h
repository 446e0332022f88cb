// SPDX-License-Identifier: GPL-3.0-or-later
// Process groups of a job, assembled from the collectives of all ranks. A group is identified by its members,
// because disjoint groups of one kind may share a name. The file truncates lists of ranks at 30 entries;
// members are then derived from start and stride or from pg_config, or stay unknown. Collectives without a
// recorded group (before PyTorch 2.1; gloo until 2.6) form one group per operation over all ranks.
// O(collectives).
#pragma once

#include "core/analysis/collectives/collective_calls.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

using GroupIndex = StrongIndex<struct GroupTag>; // into ProcessGroups::groups

// The parallelism that a group belongs to, if known.
enum class ParallelDimension : std::uint8_t { Unknown, Data, Tensor, Pipeline, Expert, Context };
[[nodiscard]] constexpr bool isValid(ParallelDimension value) {
  return value <= ParallelDimension::Context;
}

// "dp", "tp", "pp", "ep", "cp"; empty when unknown.
[[nodiscard]] std::string_view dimensionText(ParallelDimension dimension);

struct JobGroup {
  std::string name;                  // as recorded: "0", "mesh_tp"; empty if not recorded
  std::string description;           // "default_pg", "undefined", ...
  std::vector<std::int32_t> members; // global ranks, ascending; empty if unknown
  std::int64_t size = -1;            // -1 if unknown
  int capture = 1;
  CollectiveOperation operation = CollectiveOperation::Unknown; // of collectives without a recorded group
  ParallelDimension dimension = ParallelDimension::Unknown;
  // Calls without a recorded group, on ranks that are in several: which one each call is of is unknown, and
  // so is the size.
  bool mayBeSeveral = false;

  // The description if it is informative, else the name; "all ranks" if nothing was recorded, or
  // "group not recorded" where there are several.
  [[nodiscard]] std::string label() const;
};

struct ProcessGroups {
  std::vector<JobGroup> groups;                     // by first appearance: rank, then time
  std::vector<std::vector<GroupIndex>> groupOfCall; // by RankIndex and index of the call
};

// calls: by RankIndex.
[[nodiscard]] ProcessGroups processGroupsOf(const TraceSet& trace,
                                            std::span<const std::vector<CollectiveCall>* const> calls);

// Ranks of "[0, 8, 16]", ascending; empty if the list is truncated ("...") or invalid.
[[nodiscard]] std::optional<std::vector<std::int32_t>> ranksOfList(std::string_view text);

} // namespace rankscope
