// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/one_rank.h"

#include <algorithm>

namespace rankscope {

bool hasOneRank(const Analysis& analysis) {
  const TraceSet& trace = analysis.trace();
  if (trace.worldSize()) return trace.worldSize() == 1;
  return !trace.ranks().empty() && std::ranges::all_of(analysis.ranks(), [&](RankIndex rank) {
    return trace.rank(rank).rank == trace.ranks().front().rank &&
           analysis.activity(rank).communication.totalLength() == 0 && analysis.collectiveCalls(rank).empty();
  });
}

} // namespace rankscope
