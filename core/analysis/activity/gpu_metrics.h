// SPDX-License-Identifier: GPL-3.0-or-later
// Utilization of a rank's devices by kernels, including communication, excluding memcpy and memset. Blocks
// per SM and occupancy are recorded by the profiler for each kernel; without them (for example on AMD)
// dependent values are empty. Concurrent kernels add up, limited to 1. A rank's value is the mean over its
// devices with kernels. One pass over device events and a sweep over kernels.
#pragma once

#include "core/model/rank_trace.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope {

struct DeviceMetrics {
  int device = -1;
  double utilizationPct = 0; // share of time in which a kernel ran
  // Integral of min(blocks per SM of the running kernels, 1), as a share of time.
  std::optional<double> smEfficiencyPct;
  // Estimated achieved occupancy, weighted by duration, each kernel separately.
  std::optional<double> occupancyPct;
};

struct GpuMetrics {
  TimeRange measured;
  std::vector<DeviceMetrics> devices; // with kernels anywhere in the recording, ascending
  std::optional<double> utilizationPct;
  std::optional<double> smEfficiencyPct;
  std::optional<double> occupancyPct;
};

// Over the time range `measured`; empty if the range is empty.
[[nodiscard]] GpuMetrics gpuMetrics(const RankTrace& trace, TimeRange measured);

// The same values over time, 0 to 1, in equal buckets of the window.
struct GpuSeries {
  TimeRange window;
  std::vector<float> busy;         // one per bucket
  std::vector<float> smEfficiency; // one per bucket; empty if no kernel has blocks per SM
};

[[nodiscard]] GpuSeries gpuSeries(const RankTrace& trace, int device, TimeRange window, std::size_t buckets);

} // namespace rankscope
