// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_recordings.h"

#include <cstddef>
#include <map>

namespace rankscope {

std::vector<std::vector<RankIndex>> recordingsByRank(const TraceSet& traces) {
  std::vector<std::vector<RankIndex>> recordings;
  std::map<int, std::size_t> placeOf;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    const auto [place, fresh] = placeOf.emplace(traces.ranks()[i].rank, recordings.size());
    if (fresh) recordings.emplace_back();
    recordings[place->second].emplace_back(i);
  }
  return recordings;
}

} // namespace rankscope
