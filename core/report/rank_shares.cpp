// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/rank_shares.h"

#include "core/analysis/account/communication_leaves.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/model/rank_recordings.h"
#include "core/report/outlier_ranks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace rankscope {

namespace {

TimeNs roundedMean(TimeNs sum, std::int64_t count) {
  return (sum + count / 2) / count;
}

struct StepSums {
  ExactSum whole;
  ExactSum compute;
  ExactSum overlap;
  ExactSum exposed;
};

StepSums sumOf(const Analysis& analysis, RankIndex rank, std::span<const std::size_t> steps) {
  StepSums sums;
  for (const std::size_t at : steps) {
    sums.whole += analysis.stepWindows(rank).steps[at].range.length();
    const StepBreakdown& step = analysis.stepBreakdown(rank)[at];
    sums.compute += step.compute;
    sums.overlap += step.overlap;
    sums.exposed += step.exposedCommunication;
  }
  return sums;
}

// Without marked or detected steps: of what the table has.
StepSums sumOfSteps(const Analysis& analysis, RankIndex rank) {
  std::vector<std::size_t> all(analysis.stepWindows(rank).steps.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return sumOf(analysis, rank, all);
}

// The steps that means are over. Waits outside of them are no part of a mean.
struct MeanSteps {
  std::vector<std::size_t> steps; // indices in stepWindows
  std::vector<TimeRange> ranges;

  [[nodiscard]] bool contains(RankTime time) const {
    const auto after = std::ranges::upper_bound(ranges, time.ns(), {}, &TimeRange::begin);
    return after != ranges.begin() && std::prev(after)->contains(time.ns());
  }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(steps.size()); }
};

MeanSteps meanSteps(const Analysis& analysis, RankIndex rank) {
  MeanSteps of{analysis.countedSteps(rank), {}};
  of.ranges.reserve(of.steps.size());
  for (const std::size_t at : of.steps) of.ranges.push_back(analysis.stepWindows(rank).steps[at].range);
  return of;
}

void setParts(RankShare& share, const StepSums& sums, std::int64_t count) {
  const TimeNs whole = roundedMean(sums.whole, count);
  share.overlapped = roundedMean(sums.overlap, count);
  share.computeOnly = roundedMean(sums.compute, count) - share.overlapped;
  share.exposed = roundedMean(sums.exposed, count);
  share.other = std::max<TimeNs>(0, whole - share.computeOnly - share.overlapped - share.exposed);
}

// Adds the waits of all ranks in one pass over the participants. means: by position in shares, empty for sums
// of all in scope.
void addWaits(const Analysis& analysis, std::span<const MeanSteps> means, std::vector<RankShare>& shares) {
  std::vector<RankShare*> byRank(analysis.trace().ranks().size(), nullptr);
  for (RankShare& share : shares) byRank[share.rank.value] = &share;
  const auto counts = [&](const RankShare* share, RankIndex rank, RankTime begin) {
    if (means.empty()) return analysis.window(rank).contains(begin);
    const MeanSteps& of = means[static_cast<std::size_t>(share - shares.data())];
    return of.steps.empty() ? analysis.window(rank).contains(begin) : of.contains(begin);
  };
  const CollectiveMatch& match = analysis.collectives().match;
  const FirstOfGroups first = firstOfGroups(analysis);
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (!instance.matched()) continue;
    for (const Participant& part : match.of(instance)) {
      RankShare* const share = byRank[part.rank.value];
      if (share == nullptr) continue;
      const RankTime begin = analysis.collectiveCalls(part.rank)[part.call].range.begin;
      if (!counts(share, part.rank, begin)) continue;
      const TimeNs exposed =
          analysis.exposedCommunication(part.rank).coveredWithin(RankRange{begin, begin + part.wait}.ns());
      share->matched = true;
      share->waitExposed += exposed;
      share->waitHidden += part.wait - exposed;
      share->transfer += part.transfer;
      if (first[i] != 0) share->waitStart += exposed;
    }
  }
}

std::vector<std::size_t> outliersOf(std::span<const RankShare> shares, TimeNs (RankShare::*figure)() const) {
  constexpr double kMinShare = 0.2;
  std::vector<TimeNs> values;
  std::vector<std::size_t> compared; // by value
  values.reserve(shares.size());
  compared.reserve(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].truncated) continue;
    values.push_back((shares[i].*figure)());
    compared.push_back(i);
  }
  std::vector<std::size_t> outliers;
  for (const OutlierValue& value : outlierValues(values, kMinShare))
    outliers.push_back(compared[value.index]);
  return outliers;
}

// Where some recordings have steps, a mean step is of these.
RankShare joinedShare(const std::vector<const RankShare*>& recordings, ShareOver over) {
  RankShare joined{.rank = recordings.front()->rank};
  std::array<ExactSum, 8> sums{};
  for (const RankShare* const share : recordings) joined.kept = joined.kept || share->kept;
  const auto stepsOf = [&](const RankShare& share) { return share.kept == joined.kept ? share.steps : 0; };
  for (const RankShare* const share : recordings) joined.steps += stepsOf(*share);
  const bool mean = over == ShareOver::StepMean && joined.steps > 0;
  for (const RankShare* const share : recordings) {
    joined.straggler = joined.straggler || share->straggler;
    joined.truncated = joined.truncated || share->truncated;
    joined.onDevice = joined.onDevice && share->onDevice;
    joined.matched = joined.matched || share->matched;
    const std::int64_t weight = mean ? stepsOf(*share) : 1;
    const std::array<TimeNs, 8> parts{share->computeOnly, share->overlapped, share->exposed,
                                      share->other,       share->waitHidden, share->waitExposed,
                                      share->transfer,    share->waitStart};
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::int64_t n = 0; n < weight; ++n) sums[i] += parts[i];
  }
  const auto part = [&](std::size_t i) {
    return mean ? roundedMean(sums[i], joined.steps) : TimeNs{sums[i]};
  };
  joined.computeOnly = part(0);
  joined.overlapped = part(1);
  joined.exposed = part(2);
  joined.other = part(3);
  joined.waitHidden = part(4);
  joined.waitExposed = part(5);
  joined.transfer = part(6);
  joined.waitStart = part(7);
  return joined;
}

} // namespace

std::size_t maxSteps(const Analysis& analysis) {
  std::size_t maxCount = 0;
  for (const RankIndex rank : analysis.ranks())
    maxCount = std::max(maxCount, analysis.countedSteps(rank).size());
  return maxCount;
}

bool keepsSteps(const Analysis& analysis, RankIndex rank) {
  if (!analysis.stepWindows(rank).areSteps()) return false;
  const std::vector<StepStatus> status = analysis.stepStatus(rank);
  return std::ranges::find(status, StepStatus::Kept) != status.end();
}

std::vector<RankShare> rankShares(const Analysis& analysis, ShareOver over) {
  std::vector<RankShare> shares;
  std::vector<MeanSteps> means;
  for (const RankIndex rank : analysis.ranks()) {
    const RankStatistics& of = analysis.statistics(rank);
    RankShare share{.rank = rank,
                    .steps = static_cast<std::int64_t>(analysis.countedSteps(rank).size()),
                    .kept = keepsSteps(analysis, rank),
                    .straggler = analysis.stragglers().ranks[rank.value].straggler,
                    .onDevice = of.hasDeviceActivity};
    if (over == ShareOver::StepMean) means.push_back(meanSteps(analysis, rank));
    if (over == ShareOver::StepMean && means.back().count() > 0)
      setParts(share, sumOf(analysis, rank, means.back().steps), means.back().count());
    else if (share.onDevice)
      setParts(share, {of.gpuSpan, of.compute, of.overlap, of.exposedCommunication}, 1);
    else
      setParts(share, sumOfSteps(analysis, rank), 1);
    shares.push_back(share);
  }
  if (const std::vector<CutRank> cut = cutRanks(analysis); cut.size() < shares.size())
    for (RankShare& share : shares)
      share.truncated = std::ranges::find(cut, share.rank, &CutRank::rank) != cut.end();
  addWaits(analysis, means, shares);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i].count() == 0) continue;
    for (ExactSum* const sum :
         {&shares[i].waitHidden, &shares[i].waitExposed, &shares[i].transfer, &shares[i].waitStart})
      *sum = roundedMean(*sum, means[i].count());
  }
  return shares;
}

std::vector<RankShare> joinedRecordings(const TraceSet& traces, std::span<const RankShare> shares,
                                        ShareOver over) {
  std::vector<RankIndex> ranks;
  ranks.reserve(shares.size());
  for (const RankShare& share : shares) ranks.push_back(share.rank);
  const RankRows rows = rankRows(traces, ranks);
  std::vector<std::vector<const RankShare*>> recordings(rows.count());
  for (std::size_t i = 0; i < shares.size(); ++i) recordings[rows.rowOf[i]].push_back(&shares[i]);
  std::vector<RankShare> joined;
  joined.reserve(recordings.size());
  for (const std::vector<const RankShare*>& of : recordings)
    joined.push_back(of.size() == 1 ? *of.front() : joinedShare(of, over));
  return joined;
}

std::vector<ChosenRank> chosenRanks(std::span<const TimeNs> values, std::span<const std::size_t> outliers,
                                    std::size_t maxCount) {
  std::vector<bool> isOutlier(values.size(), false);
  std::vector<ChosenRank> chosen;
  if (values.size() <= maxCount) {
    for (const std::size_t index : outliers) isOutlier[index] = true;
    for (std::size_t i = 0; i < values.size(); ++i)
      chosen.push_back({i, isOutlier[i] ? RankRole::Outlier : RankRole::Plain});
    return chosen;
  }
  constexpr std::array kPlaces{
      std::pair{RankRole::Min, std::size_t{0}}, std::pair{RankRole::Low, std::size_t{10}},
      std::pair{RankRole::Median, std::size_t{50}}, std::pair{RankRole::High, std::size_t{90}},
      std::pair{RankRole::Max, std::size_t{100}}};
  for (const std::size_t index : outliers.first(std::min(outliers.size(), maxCount - kPlaces.size()))) {
    isOutlier[index] = true;
    chosen.push_back({index, RankRole::Outlier});
  }
  std::ranges::sort(chosen, {}, &ChosenRank::index);
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!isOutlier[i]) rest.push_back(i);
  std::ranges::sort(rest, {}, [&](std::size_t i) { return std::pair(values[i], i); });
  for (const auto& [role, percent] : kPlaces)
    chosen.push_back({rest[percentilePlace(rest.size(), percent)], role});
  return chosen;
}

std::vector<std::size_t> outlierRanks(std::span<const RankShare> shares) {
  std::vector<std::size_t> outliers;
  const auto take = [&](std::size_t index) {
    if (std::ranges::find(outliers, index) == outliers.end()) outliers.push_back(index);
  };
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].straggler) take(i);
  for (const std::size_t index : outliersOf(shares, &RankShare::compute)) take(index);
  for (const std::size_t index : outliersOf(shares, &RankShare::wait)) take(index);
  return outliers;
}

} // namespace rankscope
