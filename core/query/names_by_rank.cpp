// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/names_by_rank.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {
namespace {

// sumsOf(rank, cancel): statistics of this rank only.
template <class SumsOf>
std::optional<std::vector<RankNameSums>> dividedByRank(const RangeStatistics& statistics,
                                                       std::span<const WantedName> wanted, unsigned threads,
                                                       const std::atomic<bool>& cancel, SumsOf&& sumsOf) {
  std::map<std::pair<NameId, EventKind>, std::size_t> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) places.try_emplace({wanted[i].name, wanted[i].kind}, i);
  std::vector<std::vector<std::pair<std::size_t, RankNameSums>>> parts(statistics.ranks.size());
  parallelFor(parts.size(), threads, [&](std::size_t i) {
    const RankIndex rank = statistics.ranks[i].rank;
    const std::optional<RangeStatistics> own = cancel ? std::nullopt : sumsOf(rank);
    if (!own) return;
    for (const NameSums& name : own->names) {
      const auto place = places.find({name.name, name.kind});
      if (place != places.end()) parts[i].emplace_back(place->second, RankNameSums{rank, name});
    }
  });
  if (cancel) return std::nullopt;
  std::vector<std::pair<std::size_t, RankNameSums>> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all, {}, [](const auto& entry) { return std::tuple(entry.first, entry.second.rank); });
  std::vector<RankNameSums> divided;
  divided.reserve(all.size());
  for (const auto& [place, sums] : all) divided.push_back(sums);
  return divided;
}

RangeScope scopeOfRank(const TraceSet& traces, const RangeScope& scope, RankIndex rank) {
  RangeScope own{scope.range, {}, scope.shifts};
  const auto of = std::ranges::find(scope.tracks, rank, &RankTracks::rank);
  if (of != scope.tracks.end()) {
    own.tracks = {*of};
    return own;
  }
  RankTracks all{rank, {}};
  const std::size_t count = traces.rank(rank).trace->tracks.size();
  for (std::size_t track = 0; track < count; ++track) all.tracks.emplace_back(track);
  own.tracks.push_back(std::move(all));
  return own;
}

} // namespace

std::optional<std::vector<RankNameSums>> rangeNamesByRank(const TraceSet& traces,
                                                          const RangeStatistics& statistics,
                                                          std::span<const WantedName> wanted,
                                                          unsigned threads, const std::atomic<bool>& cancel) {
  return dividedByRank(statistics, wanted, threads, cancel, [&](RankIndex rank) {
    return rangeStatistics(traces, scopeOfRank(traces, statistics.scope, rank), 1, cancel);
  });
}

std::optional<std::vector<RankNameSums>> hitNamesByRank(const TraceSet& traces, const SearchHits& hits,
                                                        const RangeStatistics& statistics,
                                                        std::span<const WantedName> wanted, unsigned threads,
                                                        const std::atomic<bool>& cancel) {
  return dividedByRank(statistics, wanted, threads, cancel, [&](RankIndex rank) {
    SearchHits own;
    own.ranks.resize(rank.value + std::size_t{1});
    own.ranks.back() = hits.ranks[rank.value];
    return hitStatistics(traces, own, 1, cancel);
  });
}

} // namespace rankscope
