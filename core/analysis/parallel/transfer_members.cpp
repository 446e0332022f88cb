// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/transfer_members.h"

namespace rankscope {

std::vector<std::int32_t> transferMembers(const Analysis& analysis, RankIndex rank) {
  const CollectiveMatch& match = analysis.collectives().match;
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].parties->peer.known()) continue;
    const InstanceIndex instance = match.instanceOfCall[rank.value][i];
    return match.groups[match.instances[instance.value].group.value].members;
  }
  return {};
}

} // namespace rankscope
