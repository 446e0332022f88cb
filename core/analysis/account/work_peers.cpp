// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/work_peers.h"

#include "core/base/disjoint_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace rankscope {

namespace {

bool isSend(CollectiveOperation operation) {
  return isPointToPoint(operation) || operation == CollectiveOperation::SendRecv;
}

// Ranks that send to each other. A call without its other side may be with any rank of its group that sends.
DisjointSets pipelinesOf(const CollectiveMatch& match, std::size_t ranks, std::vector<bool>& sends) {
  DisjointSets pipelines(ranks);
  std::map<GroupIndex, std::uint32_t> firstOfGroup;
  for (const CollectiveInstance& instance : match.instances) {
    if (!isSend(instance.operation)) continue;
    const std::span<const Participant> participants = match.of(instance);
    for (const Participant& each : participants) {
      sends[each.rank.value] = true;
      pipelines.join(each.rank.value, participants.front().rank.value);
      if (instance.matched()) continue;
      const auto [first, isFirst] = firstOfGroup.try_emplace(instance.group, each.rank.value);
      if (!isFirst) pipelines.join(each.rank.value, first->second);
    }
  }
  return pipelines;
}

} // namespace

std::vector<std::uint32_t> workPeers(const Analysis& analysis) {
  const std::size_t ranks = analysis.trace().ranks().size();
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<bool> sends(ranks, false);
  DisjointSets pipelines = pipelinesOf(match, ranks, sends);
  DisjointSets peers(ranks);
  std::uint32_t firstWithout = 0;
  while (firstWithout < ranks && sends[firstWithout]) ++firstWithout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (!sends[rank]) peers.join(rank, firstWithout);
  for (const CollectiveInstance& instance : match.instances) {
    if (isSend(instance.operation) || !instance.matched()) continue;
    const std::span<const Participant> participants = match.of(instance);
    std::set<std::size_t> met;
    const bool onePerPipeline = std::ranges::all_of(participants, [&](const Participant& each) {
      return sends[each.rank.value] && met.insert(pipelines.of(each.rank.value)).second;
    });
    if (!onePerPipeline) continue;
    for (const Participant& each : participants) peers.join(each.rank.value, participants.front().rank.value);
  }
  std::vector<std::uint32_t> result(ranks);
  std::set<std::pair<std::uint32_t, std::size_t>> met; // peers and pipeline
  std::set<std::uint32_t> mixed;                       // peers of which two are of one pipeline
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    result[rank] = static_cast<std::uint32_t>(peers.of(rank));
    if (sends[rank] && !met.emplace(result[rank], pipelines.of(rank)).second) mixed.insert(result[rank]);
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (mixed.contains(result[rank])) result[rank] = rank;
  return result;
}

} // namespace rankscope
