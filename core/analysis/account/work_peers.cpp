// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/work_peers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace rankscope {

namespace {

class Sets {
 public:
  explicit Sets(std::size_t count) : m_parents(count) { std::iota(m_parents.begin(), m_parents.end(), 0U); }

  // The lowest number of the set.
  [[nodiscard]] std::uint32_t of(std::uint32_t of) {
    while (m_parents[of] != of) of = m_parents[of] = m_parents[m_parents[of]];
    return of;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = of(a);
    b = of(b);
    m_parents[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> m_parents;
};

bool isSend(CollectiveOperation operation) {
  return isPointToPoint(operation) || operation == CollectiveOperation::SendRecv;
}

// Ranks that send to each other. A call without its other side may be with any rank of its group that sends.
Sets pipelinesOf(const CollectiveMatch& match, std::size_t ranks, std::vector<bool>& sends) {
  Sets pipelines(ranks);
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
  Sets pipelines = pipelinesOf(match, ranks, sends);
  Sets peers(ranks);
  std::uint32_t firstWithout = 0;
  while (firstWithout < ranks && sends[firstWithout]) ++firstWithout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (!sends[rank]) peers.join(rank, firstWithout);
  for (const CollectiveInstance& instance : match.instances) {
    if (isSend(instance.operation) || !instance.matched()) continue;
    const std::span<const Participant> participants = match.of(instance);
    std::set<std::uint32_t> met;
    const bool onePerPipeline = std::ranges::all_of(participants, [&](const Participant& each) {
      return sends[each.rank.value] && met.insert(pipelines.of(each.rank.value)).second;
    });
    if (!onePerPipeline) continue;
    for (const Participant& each : participants) peers.join(each.rank.value, participants.front().rank.value);
  }
  std::vector<std::uint32_t> result(ranks);
  std::set<std::pair<std::uint32_t, std::uint32_t>> met; // peers and pipeline
  std::set<std::uint32_t> mixed;                         // peers of which two are of one pipeline
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    result[rank] = peers.of(rank);
    if (sends[rank] && !met.emplace(result[rank], pipelines.of(rank)).second) mixed.insert(result[rank]);
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (mixed.contains(result[rank])) result[rank] = rank;
  return result;
}

} // namespace rankscope
