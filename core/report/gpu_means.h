// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of several devices as one mean: over the kept steps, each of which counts once, however many of the
// ranks were recorded in it, of the mean over its ranks of the mean over their devices. Where no step begins,
// the mean over the devices. Pure; O(devices * steps).
#pragma once

#include "core/analysis/job/analysis.h"

#include <optional>
#include <span>

namespace rankscope {

// A device that a recording used.
struct RankDevice {
  RankIndex rank;
  int device = 0;
};

// Percent, as in GpuMetrics; empty where no device has the figure.
struct GpuMeans {
  std::optional<double> utilizationPct;
  std::optional<double> smEfficiencyPct;
  std::optional<double> occupancyPct;
};

// devices: of ranks of the analysis, those of a rank next to each other.
[[nodiscard]] GpuMeans gpuMeans(const Analysis& analysis, std::span<const RankDevice> devices);
// Of all devices of these ranks.
[[nodiscard]] GpuMeans gpuMeansOfRanks(const Analysis& analysis, std::span<const RankIndex> ranks);

} // namespace rankscope
