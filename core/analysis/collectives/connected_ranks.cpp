// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/connected_ranks.h"

#include "core/base/disjoint_sets.h"

#include <map>

namespace rankscope {

namespace {

// Numbers of ranks, recorded or not, as places from 0 in order of their first recording.
class Places {
 public:
  explicit Places(const TraceSet& trace) {
    for (const RankEntry& entry : trace.ranks()) of(entry.rank);
  }
  std::size_t of(int rank) { return m_places.try_emplace(rank, m_places.size()).first->second; }
  [[nodiscard]] std::size_t count() const { return m_places.size(); }

 private:
  std::map<int, std::size_t> m_places;
};

} // namespace

std::vector<RankIndex> connectedRanks(const TraceSet& trace, const CollectiveMatch& match) {
  Places places(trace);
  for (const JobGroup& group : match.groups)
    for (const std::int32_t member : group.members) places.of(member);
  DisjointSets sets(places.count());
  std::vector<std::size_t> firstOfGroup(match.groups.size(), places.count());
  const auto joinGroup = [&](std::size_t group, int rank) {
    std::size_t& first = firstOfGroup[group];
    if (first == places.count()) first = places.of(rank);
    sets.join(first, places.of(rank));
  };
  for (std::size_t group = 0; group < match.groups.size(); ++group)
    for (const std::int32_t member : match.groups[group].members) joinGroup(group, member);
  // The members of a group may be unknown.
  for (const CollectiveInstance& instance : match.instances)
    for (const Participant& participant : match.of(instance))
      joinGroup(instance.group.value, trace.rank(participant.rank).rank);
  std::vector<RankIndex> firsts(places.count());
  std::vector<RankIndex> result;
  result.reserve(trace.ranks().size());
  for (std::size_t r = 0; r < trace.ranks().size(); ++r) {
    RankIndex& first = firsts[sets.of(places.of(trace.ranks()[r].rank))];
    if (!first.valid()) first = RankIndex(r);
    result.push_back(first);
  }
  return result;
}

} // namespace rankscope
