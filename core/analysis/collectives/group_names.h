// SPDX-License-Identifier: GPL-3.0-or-later
// The dimensions along which a job is divided, and the dimension of a process group from its description.
// Descriptions are compared by whole words: EXPERT_DATA_PARALLEL_GROUP of Megatron averages gradients of
// experts and is not the group of experts; mesh_tp of a DeviceMesh is tensor-parallel. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class RankDimension : std::uint8_t {
  Unknown,
  Data,
  Tensor,
  Pipeline,
  Expert,
  Context,
  Sharded,      // data parallel with sharded parameters: FSDP, ZeRO-3
  ExpertData,   // replicas of the experts
  ExpertTensor, // one expert over several ranks
  Embedding,    // tied embeddings; tables of embeddings over ranks
  Model,        // all ranks of one replica
  World,        // all ranks of the job
};
[[nodiscard]] constexpr bool isValid(RankDimension value) {
  return value <= RankDimension::World;
}

inline constexpr std::size_t kRankDimensionCount = static_cast<std::size_t>(RankDimension::World) + 1;

// "dp", "tp", "pp", "ep", "cp", "fsdp", "edp", "etp", "embedding", "model", "world"; empty when unknown.
[[nodiscard]] std::string_view dimensionText(RankDimension dimension);

// From a name or description: "mesh_dp_shard", "TENSOR_MODEL_PARALLEL_GROUP", "default_pg". Unknown for
// descriptions that say nothing. A group that ncclCommSplit made ("x:split:1") has the name of its parent.
[[nodiscard]] RankDimension dimensionOfGroupName(std::string_view name);

} // namespace rankscope
