// SPDX-License-Identifier: GPL-3.0-or-later
// The process groups of a job, assembled from every rank's collectives: a name is not unique over
// disjoint groups of one kind, so a group is its members. The file cuts a list of ranks at 30 entries; it is
// rebuilt from start and stride or from pg_config, or the members stay unknown. Collectives whose group was
// not recorded (before PyTorch 2.1) are taken together by operation, over all ranks. O(collectives).
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

using GroupIndex = StrongIndex<struct GroupTag>; // of a ProcessGroups

// What a group divides the job along, where that can be known.
enum class ParallelDimension : std::uint8_t { Unknown, Data, Tensor, Pipeline, Expert, Context };

// "dp", "tp", "pp", "ep", "cp"; empty when unknown.
[[nodiscard]] std::string_view dimensionText(ParallelDimension dimension);

struct JobGroup {
  std::string name;                  // as recorded: "0", "mesh_tp"; empty when not recorded
  std::string description;           // "default_pg", "undefined", ...
  std::vector<std::int32_t> members; // global ranks, ascending; empty when not known
  std::int64_t size = -1;            // -1 not known
  int capture = 1;
  CollectiveOperation operation = CollectiveOperation::Unknown; // of collectives whose group is not recorded
  ParallelDimension dimension = ParallelDimension::Unknown;

  // The description if it is informative, else the name; "all ranks" when nothing was recorded.
  [[nodiscard]] std::string label() const;
};

struct ProcessGroups {
  std::vector<JobGroup> groups;                     // by first appearance: rank, then time
  std::vector<std::vector<GroupIndex>> groupOfCall; // by RankIndex and position in that rank's calls
};

// calls: by RankIndex.
[[nodiscard]] ProcessGroups processGroupsOf(const TraceSet& trace,
                                            std::span<const std::vector<CollectiveCall>* const> calls);

// The ranks of "[0, 8, 16]", ascending; nothing when the list is cut ("...") or no list.
[[nodiscard]] std::optional<std::vector<std::int32_t>> ranksOfList(std::string_view text);

} // namespace rankscope
