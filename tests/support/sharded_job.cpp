// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/divided_rank.h"
#include "tests/support/parallel_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rankscope::test {

namespace {

struct Work {
  enum class Kind { Compute, Tensor, Gather, Reduce } kind = Kind::Compute;
  std::int64_t begin = 0; // since the begin of the step
  std::int64_t length = 0;
  int layer = 0;
  bool backward = false;
};

// One step of a rank: gathers one layer ahead, layers that wait for their tensor-parallel AllReduces,
// reductions behind them.
std::vector<Work> stepOf(const ShardedJob& job) {
  using Kind = Work::Kind;
  std::vector<Work> all;
  std::int64_t gathered = kLead; // end of the gather of the layer that comes next
  std::int64_t computed = kLead;
  std::int64_t reduced = kLead;
  const auto gather = [&](int layer, bool backward, std::int64_t from) {
    all.push_back({Kind::Gather, std::max(gathered, from), job.gatherNs, layer, backward});
    gathered = all.back().begin + job.gatherNs;
  };
  const auto layerAt = [&](int layer, bool backward, int next, bool nextBackward) {
    computed = std::max(computed, gathered);
    if (next >= 0) gather(next, nextBackward, computed);
    for (int half = 0; half < 2; ++half) {
      // Attention is two kernels, the rest of the layer one.
      const int kernels = half == 0 ? 2 : 1;
      const std::int64_t length = (backward ? 2 : 1) * job.forwardNs / 2 / kernels;
      for (int kernel = 0; kernel < kernels; ++kernel) {
        all.push_back({Kind::Compute, computed, length, layer, backward});
        computed += length;
      }
      all.push_back({Kind::Tensor, computed, job.tensorNs, layer, backward});
      computed += job.tensorNs;
    }
    if (!backward) return;
    all.push_back({Kind::Reduce, std::max(reduced, computed), job.reduceNs, layer, backward});
    reduced = all.back().begin + job.reduceNs;
  };
  gather(0, false, kLead);
  for (int layer = 0; layer < job.layers; ++layer) {
    const bool last = layer + 1 == job.layers;
    layerAt(layer, false, last ? layer : layer + 1, last);
  }
  for (int layer = job.layers; layer-- > 0;) layerAt(layer, true, layer - 1, true);
  all.push_back({Kind::Compute, std::max(computed, reduced), kOptimizer, -1, false});
  return all;
}

// Nanoseconds in which something of one kind runs, and nothing of the others.
std::int64_t timeOf(const std::vector<Work>& all, const std::vector<Work::Kind>& wanted,
                    const std::vector<Work::Kind>& without) {
  const auto in = [](const std::vector<Work::Kind>& kinds, Work::Kind kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
  };
  std::vector<std::tuple<std::int64_t, int, int>> edges; // time, change of wanted, change of the others
  for (const Work& of : all) {
    const int is = in(wanted, of.kind) ? 1 : 0;
    const int covers = in(without, of.kind) ? 1 : 0;
    edges.emplace_back(of.begin, is, covers);
    edges.emplace_back(of.begin + of.length, -is, -covers);
  }
  std::ranges::sort(edges);
  std::int64_t sum = 0;
  std::int64_t before = 0;
  int active = 0;
  int covered = 0;
  for (const auto& [time, is, covers] : edges) {
    if (active > 0 && covered == 0) sum += time - before;
    before = time;
    active += is;
    covered += covers;
  }
  return sum;
}

void writeWork(DividedRank& file, const Work& of, std::int64_t step, const RankGroup& tensor,
               const RankGroup& shards) {
  const std::int64_t host = file.host();
  const std::int64_t begin = step + of.begin;
  constexpr std::int64_t kElements = 4'000'000;
  const auto ranks = static_cast<std::int64_t>(shards.ranks.size());
  if (of.backward) file.operation(host, kHostPace / 2, "autograd::engine::evaluate_function: AddmmBackward0");
  switch (of.kind) {
  case Work::Kind::Compute:
    if (of.layer < 0) file.annotation(host, kHostPace / 2, "Optimizer.step#AdamW.step");
    file.kernel(begin, of.length, of.layer < 0 ? "multi_tensor_apply_kernel" : kGemm);
    break;
  case Work::Kind::Tensor:
    file.kernel(begin, of.length,
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20,
                collectiveArgs("allreduce", kElements, kElements, tensor));
    break;
  case Work::Kind::Gather:
    file.annotation(host, kHostPace / 2, fmt::format("FSDP::all_gather (layers.{})", of.layer));
    file.kernel(begin, of.length, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 24,
                collectiveArgs("_allgather_base", kElements / ranks, kElements, shards));
    break;
  case Work::Kind::Reduce:
    file.annotation(host, kHostPace / 2, fmt::format("FSDP::post_backward_reduce (layers.{})", of.layer));
    file.kernel(begin, of.length,
                "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 28,
                collectiveArgs("_reduce_scatter_base", kElements, kElements / ranks, shards));
    break;
  }
  file.passTime();
}

} // namespace

ShardedTruth generateShardedJob(const ShardedJob& job, const std::filesystem::path& folder) {
  if (job.tensorRanks < 2 || job.ranks < 2 * job.tensorRanks || job.ranks % job.tensorRanks != 0 ||
      job.layers < 1)
    throw std::invalid_argument("ranks that cannot be divided so");
  const std::vector<Work> step = stepOf(job);
  const std::int64_t length = step.back().begin + step.back().length + kMargin;
  for (int rank = 0; rank < job.ranks; ++rank) {
    RankGroup tensor{"mesh_tp", {}};
    RankGroup shards{"mesh_dp_shard", {}};
    for (int other = 0; other < job.ranks; ++other) {
      if (other / job.tensorRanks == rank / job.tensorRanks) tensor.ranks.push_back(other);
      if (other % job.tensorRanks == rank % job.tensorRanks) shards.ranks.push_back(other);
    }
    DividedRank file(rank, job.ranks, {tensor, shards});
    for (int number = 0; number < job.steps; ++number) {
      const std::int64_t begin = number * (length + kMargin);
      file.beginStep(number + 1, begin, length);
      for (const Work& of : step) writeWork(file, of, begin, tensor, shards);
    }
    file.write(folder);
  }
  using Kind = Work::Kind;
  return {timeOf(step, {Kind::Tensor}, {Kind::Compute}),
          timeOf(step, {Kind::Gather, Kind::Reduce}, {Kind::Compute, Kind::Tensor})};
}

} // namespace rankscope::test
