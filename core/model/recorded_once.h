// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings that sums over ranks are made of: two profilers may have recorded the same time of a rank, as
// two captures.
#pragma once

#include "core/model/trace_set.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace rankscope {

// Without recordings of which earlier captures of the same rank cover more than half the time. In order;
// O(n log n + captures^2).
[[nodiscard]] inline std::vector<RankIndex> recordedOnce(const TraceSet& traces,
                                                         std::span<const RankIndex> recordings) {
  std::vector<RankIndex> once;
  if (!traces.severalCaptures()) {
    once.assign(recordings.begin(), recordings.end());
    return once;
  }
  std::map<int, std::vector<TimeRange>> known; // by rank
  for (const RankIndex recording : recordings) {
    const RankEntry& entry = traces.rank(recording);
    const TimeRange own = entry.trace->extent;
    TimeNs covered = 0;
    std::vector<TimeRange>& earlier = known[entry.rank];
    for (const TimeRange& range : earlier) covered += std::max<TimeNs>(0, own.clippedTo(range).length());
    earlier.push_back(own);
    if (own.empty() || covered <= own.length() / 2) once.push_back(recording);
  }
  return once;
}

} // namespace rankscope
