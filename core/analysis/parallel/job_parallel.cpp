// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/job_parallel.h"

#include "core/analysis/parallel/transfer_members.h"
#include "core/base/parallel_for.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

namespace {

// Of the group that is named for a pipeline; empty without one.
std::vector<std::int32_t> namedPipeline(const Analysis& analysis, RankIndex rank) {
  const RankEntry& entry = analysis.trace().rank(rank);
  for (const ProcessGroup& config : entry.trace->metadata.processGroups) {
    if (dimensionOfGroupName(config.description) != RankDimension::Pipeline) continue;
    const std::span<const std::int32_t> ranks = config.ranks.span();
    if (config.ranks.contains(entry.rank)) return {ranks.begin(), ranks.end()};
  }
  return {};
}

} // namespace

JobParallel jobParallel(const Analysis& analysis, const LayoutSettings& settings, unsigned threadCount) {
  JobParallel result;
  const std::size_t ranks = analysis.trace().ranks().size();
  static_cast<void>(analysis.collectives());
  result.uses.resize(ranks);
  std::vector<PipelineHost> hosts(ranks);
  parallelFor(ranks, threadCount, [&](std::size_t i) {
    const RankIndex rank(i);
    result.uses[i] = callUses(analysis, rank);
    std::vector<std::int32_t> members = namedPipeline(analysis, rank);
    // PyTorch may send in the group of all ranks; a communicator of NCCL that sends is one pipeline.
    const bool isPipeline = !members.empty() || analysis.trace().recordedByNsight(rank);
    if (members.empty()) members = transferMembers(analysis, rank);
    hosts[i] = pipelineHost(analysis, rank, result.uses[i], members);
    if (isPipeline) hosts[i].groupRanks = static_cast<std::int64_t>(members.size());
    if (settings.given) hosts[i].groupRanks = (*settings.given)[LayoutAxis::Pipeline];
  });
  result.pipelines = jobPipelines(analysis, hosts);
  result.dimensions = groupDimensions(analysis, result.uses, result.pipelines);
  result.layout = jobLayout(analysis, result.pipelines, result.dimensions, settings);
  return result;
}

} // namespace rankscope
