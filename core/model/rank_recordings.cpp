// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_recordings.h"

#include <cstddef>
#include <map>

namespace rankscope {

RankRows rankRows(const TraceSet& traces, std::span<const RankIndex> recordings) {
  RankRows rows;
  rows.rowOf.reserve(recordings.size());
  std::map<int, std::size_t> rowOfNumber;
  for (const RankIndex recording : recordings) {
    const auto [row, fresh] = rowOfNumber.emplace(traces.rank(recording).rank, rows.first.size());
    if (fresh) rows.first.push_back(recording);
    rows.rowOf.push_back(row->second);
  }
  return rows;
}

std::vector<std::vector<RankIndex>> recordingsByRank(const TraceSet& traces) {
  std::vector<RankIndex> all;
  all.reserve(traces.ranks().size());
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) all.emplace_back(i);
  const RankRows rows = rankRows(traces, all);
  std::vector<std::vector<RankIndex>> recordings(rows.count());
  for (std::size_t i = 0; i < all.size(); ++i) recordings[rows.rowOf[i]].push_back(all[i]);
  return recordings;
}

} // namespace rankscope
