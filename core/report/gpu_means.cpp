// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/gpu_means.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// A step of a rank.
struct StepOfRank {
  std::span<const RankDevice> devices;
  TimeRange range;
  std::pair<int, std::int64_t> step; // capture and number
  bool kept = true;
};

std::vector<StepOfRank> rowsOf(const Analysis& analysis, std::span<const RankDevice> devices) {
  std::vector<StepOfRank> rows;
  for (std::size_t first = 0, last = 0; first < devices.size(); first = last) {
    const RankIndex rank = devices[first].rank;
    while (last < devices.size() && devices[last].rank == rank) ++last;
    const StepWindows& windows = analysis.stepWindows(rank);
    if (!windows.areSteps()) continue;
    const std::vector<StepStatus> status = analysis.stepStatus(rank);
    for (std::size_t i = 0; i < windows.steps.size(); ++i)
      rows.push_back({devices.subspan(first, last - first),
                      windows.steps[i].range,
                      {analysis.trace().rank(rank).capture, windows.steps[i].number},
                      status[i] == StepStatus::Kept});
  }
  if (std::ranges::any_of(rows, &StepOfRank::kept))
    std::erase_if(rows, [](const StepOfRank& row) { return !row.kept; });
  return rows;
}

struct MeanSums {
  double busy = 0, busyOf = 0;
  double blocks = 0, blocksOf = 0;
  double occupied = 0, occupiedOf = 0;

  void add(const GpuSums& of, bool knowsBlocks, double weight, double duration) {
    busy += weight * of.busy;
    busyOf += weight * duration;
    blocks += weight * of.blocks;
    if (knowsBlocks) blocksOf += weight * duration;
    occupied += weight * of.occupied;
    occupiedOf += weight * of.occupiedTime;
  }
};

const DeviceMetrics* metricsOf(const Analysis& analysis, const RankDevice& each) {
  const std::vector<DeviceMetrics>& metrics = analysis.gpuMetrics(each.rank).devices;
  const auto found = std::ranges::find(metrics, each.device, &DeviceMetrics::device);
  return found != metrics.end() ? &*found : nullptr;
}

void add(const Analysis& analysis, const StepOfRank& row, double weight, MeanSums& sums) {
  const GpuParts& parts = analysis.gpuParts(row.devices.front().rank);
  const auto at = std::ranges::lower_bound(parts.ranges, row.range.begin, {}, &TimeRange::begin);
  if (at == parts.ranges.end() || *at != row.range) return;
  const auto place = static_cast<std::size_t>(at - parts.ranges.begin());
  for (const RankDevice& each : row.devices) {
    const auto of = std::ranges::find(parts.devices, each.device, &DeviceSums::device);
    if (of == parts.devices.end()) continue;
    const DeviceMetrics* const known = metricsOf(analysis, each);
    sums.add(of->sums[place], known != nullptr && known->smEfficiencyPct,
             weight / static_cast<double>(row.devices.size()), static_cast<double>(row.range.length()));
  }
}

struct Mean {
  double sum = 0;
  std::size_t count = 0;

  void add(std::optional<double> value) {
    sum += value.value_or(0);
    count += value ? 1U : 0U;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
};

GpuMeans withoutSteps(const Analysis& analysis, std::span<const RankDevice> devices) {
  Mean utilization, smEfficiency, occupancy;
  for (const RankDevice& each : devices) {
    const DeviceMetrics* const known = metricsOf(analysis, each);
    if (known == nullptr) continue;
    utilization.add(known->utilizationPct);
    smEfficiency.add(known->smEfficiencyPct);
    occupancy.add(known->occupancyPct);
  }
  return {utilization.value(), smEfficiency.value(), occupancy.value()};
}

} // namespace

GpuMeans gpuMeans(const Analysis& analysis, std::span<const RankDevice> devices) {
  const std::vector<StepOfRank> rows = rowsOf(analysis, devices);
  if (rows.empty()) return withoutSteps(analysis, devices);
  std::map<std::pair<int, std::int64_t>, std::size_t> members;
  for (const StepOfRank& row : rows) ++members[row.step];
  MeanSums sums;
  for (const StepOfRank& row : rows) add(analysis, row, 1 / static_cast<double>(members[row.step]), sums);
  GpuMeans means;
  if (sums.busyOf > 0) means.utilizationPct = 100 * sums.busy / sums.busyOf;
  if (sums.blocksOf > 0) means.smEfficiencyPct = 100 * sums.blocks / sums.blocksOf;
  if (sums.occupiedOf > 0) means.occupancyPct = sums.occupied / sums.occupiedOf;
  return means;
}

GpuMeans gpuMeansOfRanks(const Analysis& analysis, std::span<const RankIndex> ranks) {
  std::vector<RankDevice> devices;
  for (const RankIndex rank : ranks)
    for (const DeviceSums& of : analysis.gpuParts(rank).devices) devices.push_back({rank, of.device});
  return gpuMeans(analysis, devices);
}

} // namespace rankscope
