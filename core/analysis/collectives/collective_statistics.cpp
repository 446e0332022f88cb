// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/collective_statistics.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// The participant of an instance for a call of a rank.
const Participant& partOf(const CollectiveMatch& match, const CollectiveInstance& instance, RankIndex rank,
                          std::uint32_t call) {
  const std::span<const Participant> all = match.of(instance);
  const auto found = std::ranges::lower_bound(all, std::pair(rank, call), {},
                                              [](const Participant& p) { return std::pair(p.rank, p.call); });
  return *found;
}

struct Sums {
  CollectiveStatistics statistics;
  double timedBytes = 0;
  double busBytes = 0;
  double time = 0;

  void addSpeed(const CollectiveInstance& instance, std::int64_t groupSize) {
    if (!instance.matched() || !instance.bytes || instance.transfer <= 0) return;
    const auto size = static_cast<double>(*instance.bytes);
    timedBytes += size;
    busBytes += size * busFactor(instance.operation, groupSize).value_or(0);
    time += static_cast<double>(instance.transfer);
  }
  [[nodiscard]] CollectiveStatistics finished() const {
    CollectiveStatistics result = statistics;
    if (time > 0) {
      result.algbwGbS = timedBytes / time;
      if (busBytes > 0) result.busbwGbS = busBytes / time;
    }
    return result;
  }
};

} // namespace

std::optional<double> RankArrivals::lastShare() const {
  if (collectives == 0) return std::nullopt;
  return static_cast<double>(last) / static_cast<double>(collectives);
}

std::optional<TimeNs> RankArrivals::latenessMean() const {
  if (collectives == 0) return std::nullopt;
  return (lateness + collectives / 2) / collectives;
}

std::vector<CollectiveStatistics> collectiveStatistics(const CollectiveMatch& match, RankIndex rank,
                                                       std::span<const CollectiveCall> calls,
                                                       const IntervalSet& exposedTime,
                                                       const StringTable& names, RankRange window) {
  std::map<std::pair<GroupIndex, CollectiveOperation>, Sums> sums;
  for (std::uint32_t c = 0; c < calls.size(); ++c) {
    if (!window.contains(calls[c].range.begin)) continue;
    const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][c]);
    Sums& sum = sums[{instance.group, calls[c].operation}];
    CollectiveStatistics& s = sum.statistics;
    s.group = instance.group;
    s.operation = calls[c].operation;
    ++s.calls;
    if (const auto bytes = bytesOfCall(calls[c], match.group(instance).size, names))
      s.bytes = s.bytes.value_or(0) + *bytes;
    s.total += calls[c].range.length();
    s.exposed += exposedTime.coveredWithin(calls[c].range.ns());
    if (!instance.matched()) continue;
    const Participant& part = partOf(match, instance, rank, c);
    ++s.matched;
    s.wait += part.wait;
    s.transfer += part.transfer;
    const JobGroup& group = match.group(instance);
    // More may take part than the metadata lists.
    sum.addSpeed(instance, std::max<std::int64_t>(group.size, instance.count));
  }
  std::vector<CollectiveStatistics> result;
  for (const auto& [key, sum] : sums) result.push_back(sum.finished());
  std::ranges::stable_sort(result, std::greater<>(), &CollectiveStatistics::total);
  return result;
}

RankArrivals rankArrivals(const CollectiveMatch& match, RankIndex rank, std::span<const CollectiveCall> calls,
                          RankRange window) {
  RankArrivals arrivals;
  for (std::uint32_t c = 0; c < calls.size(); ++c) {
    if (!window.contains(calls[c].range.begin)) continue;
    const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][c]);
    if (!instance.matched()) continue;
    const Participant& part = partOf(match, instance, rank, c);
    ++arrivals.collectives;
    if (instance.lastRank == rank && instance.skew() > 0) ++arrivals.last;
    arrivals.wait += part.wait;
    arrivals.transfer += part.transfer;
    arrivals.lateness += part.range.begin - instance.firstBegin;
  }
  return arrivals;
}

} // namespace rankscope
