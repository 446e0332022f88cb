// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks of a job can make each other wait: members of one process group that has collectives, directly
// or over others, which need not have been recorded. Ranks that are not connected, such as replicas of a
// server, run at their own pace: what one of them gains does not depend on the others. Pure; O(participants +
// members of groups).
#pragma once

#include "core/analysis/collectives/collective_match.h"

#include <vector>

namespace rankscope {

// By RankIndex: the first recording of the ranks that it is connected with. All recordings of a rank are.
[[nodiscard]] std::vector<RankIndex> connectedRanks(const TraceSet& trace, const CollectiveMatch& match);

} // namespace rankscope
