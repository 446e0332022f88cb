// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/job_parallel.h"

#include "core/analysis/parallel/transfer_members.h"
#include "core/base/parallel_for.h"

#include <algorithm>

namespace rankscope {

namespace {

// Peers of sends are places in the group of the pipeline, where there is a named one, or in the communicator
// that NCCL sends with.
std::vector<std::int32_t> pipelineMembers(const Analysis& analysis, RankIndex rank) {
  const RankEntry& entry = analysis.trace().rank(rank);
  for (const ProcessGroup& config : entry.trace->metadata.processGroups) {
    if (dimensionOfGroupName(config.description) != RankDimension::Pipeline) continue;
    if (std::ranges::find(config.ranks, entry.rank) != config.ranks.end()) return config.ranks;
  }
  return transferMembers(analysis, rank);
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
    hosts[i] = pipelineHost(analysis, rank, result.uses[i], pipelineMembers(analysis, rank));
    if (settings.given) hosts[i].groupRanks = (*settings.given)[LayoutAxis::Pipeline];
  });
  result.pipelines = jobPipelines(analysis, hosts);
  result.dimensions = groupDimensions(analysis, result.uses, result.pipelines);
  result.layout = jobLayout(analysis, result.pipelines, result.dimensions, settings);
  return result;
}

} // namespace rankscope
