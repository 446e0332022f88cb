// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/similar_ranks.h"

#include "core/analysis/job/analysis.h"
#include "core/model/rank_recordings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr double kAlike = 0.05;             // of the usual length
constexpr std::size_t kSmallestGroup = 3;   // ranks
constexpr std::size_t kSmallestShare = 100; // and one of so many of the job's ranks

double middleOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

RankProfile medianOf(std::span<const RankProfile> profiles, const std::vector<RankIndex>& ranks) {
  RankProfile median{};
  std::vector<double> values;
  for (std::size_t part = 0; part < median.size(); ++part) {
    values.clear();
    values.reserve(ranks.size());
    for (const RankIndex rank : ranks) values.push_back(profiles[rank.value][part]);
    median[part] = middleOf(values);
  }
  return median;
}

double distance(const RankProfile& a, const RankProfile& b) {
  double most = 0;
  for (std::size_t part = 0; part < a.size(); ++part) most = std::max(most, std::abs(a[part] - b[part]));
  return most;
}

// Groups of at least `smallest` ranks; what is left are outliers.
std::vector<std::vector<RankIndex>> groupsOf(std::span<const RankProfile> profiles,
                                             std::vector<RankIndex>& rest, std::size_t smallest) {
  std::vector<std::vector<RankIndex>> groups;
  std::vector<RankIndex> outliers;
  while (!rest.empty()) {
    const RankProfile median = medianOf(profiles, rest);
    const RankIndex leader = *std::ranges::min_element(
        rest, {}, [&](RankIndex rank) { return distance(profiles[rank.value], median); });
    const auto others = std::stable_partition(rest.begin(), rest.end(), [&](RankIndex rank) {
      return distance(profiles[rank.value], profiles[leader.value]) < kAlike;
    });
    std::vector<RankIndex> alike(rest.begin(), others);
    rest.erase(rest.begin(), others);
    if (alike.size() >= smallest)
      groups.push_back(std::move(alike));
    else
      outliers.insert(outliers.end(), alike.begin(), alike.end());
  }
  rest = std::move(outliers);
  return groups;
}

RankProfile meanProfile(std::span<const RankProfile> profiles) {
  RankProfile mean{};
  for (const RankProfile& profile : profiles)
    for (std::size_t part = 0; part < mean.size(); ++part)
      mean[part] += profile[part] / static_cast<double>(profiles.size());
  return mean;
}

// All recordings of the ranks at these places, those of a rank together.
std::vector<RankIndex> recordingsOf(const std::vector<RankIndex>& places,
                                    std::span<const std::vector<RankIndex>> recordings) {
  std::vector<RankIndex> all;
  for (const RankIndex place : places)
    all.insert(all.end(), recordings[place.value].begin(), recordings[place.value].end());
  return all;
}

} // namespace

SimilarRanks similarRanks(std::span<const RankProfile> profiles, std::span<const RankIndex> stragglers) {
  SimilarRanks similar;
  std::set<RankIndex> apart;
  for (const RankIndex rank : stragglers)
    if (apart.insert(rank).second) similar.outliers.push_back(rank);
  std::vector<RankIndex> all;
  std::vector<RankIndex> rest;
  all.reserve(profiles.size());
  rest.reserve(profiles.size());
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    all.emplace_back(i);
    if (!apart.contains(RankIndex(i))) rest.emplace_back(i);
  }
  similar.groups = groupsOf(profiles, rest, std::max(kSmallestGroup, profiles.size() / kSmallestShare));
  std::ranges::stable_sort(similar.groups, std::greater<>(), &std::vector<RankIndex>::size);
  const RankProfile median = medianOf(profiles, all);
  std::ranges::stable_sort(rest, std::greater<>(),
                           [&](RankIndex rank) { return distance(profiles[rank.value], median); });
  similar.outliers.insert(similar.outliers.end(), rest.begin(), rest.end());
  return similar;
}

SimilarRanks similarRanks(const Analysis& analysis) {
  const std::size_t count = analysis.trace().ranks().size();
  const StragglerAnalysis& pace = analysis.stragglers();
  std::vector<double> spans;
  std::vector<double> steps;
  std::vector<std::optional<TimeNs>> means;
  means.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RankStatistics& statistics = analysis.statistics(RankIndex(i));
    if (statistics.hasDeviceActivity) spans.push_back(static_cast<double>(statistics.gpuSpan));
    means.push_back(analysis.stepMean(RankIndex(i)));
    if (means.back()) steps.push_back(static_cast<double>(*means.back()));
  }
  const double span = std::max(1.0, middleOf(spans));
  const double step = std::max(1.0, middleOf(steps));
  const auto profileOf = [&](RankIndex rank) -> RankProfile {
    const RankStatistics& statistics = analysis.statistics(rank);
    const auto share = [&](TimeNs time) { return static_cast<double>(time) / span; };
    const double slowdown = rank.value < pace.ranks.size() ? pace.ranks[rank.value].slowdown.value_or(1) : 1;
    return {static_cast<double>(means[rank.value].value_or(0)) / step,
            slowdown,
            share(statistics.compute),
            share(statistics.communication),
            share(statistics.exposedCommunication),
            share(statistics.memory),
            share(statistics.idle)};
  };
  const std::vector<std::vector<RankIndex>> recordings = recordingsByRank(analysis.trace());
  std::vector<RankProfile> profiles;
  profiles.reserve(recordings.size());
  std::vector<RankIndex> placeOf(count); // of the rank of a recording
  for (const std::vector<RankIndex>& ofRank : recordings) {
    for (const RankIndex recording : ofRank) placeOf[recording.value] = RankIndex(profiles.size());
    std::vector<RankProfile> captures;
    captures.reserve(ofRank.size());
    for (const RankIndex recording : ofRank) captures.push_back(profileOf(recording));
    profiles.push_back(meanProfile(captures));
  }
  std::vector<RankIndex> stragglers;
  stragglers.reserve(pace.stragglers.size());
  for (const Straggler& straggler : pace.stragglers) stragglers.push_back(placeOf[straggler.rank.value]);
  SimilarRanks similar = similarRanks(profiles, stragglers);
  similar.outliers = recordingsOf(similar.outliers, recordings);
  for (std::vector<RankIndex>& group : similar.groups) group = recordingsOf(group, recordings);
  return similar;
}

} // namespace rankscope::ui
