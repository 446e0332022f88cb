// SPDX-License-Identifier: GPL-3.0-or-later
// Utilization of a rank's devices by kernels, including communication, excluding memcpy and memset. Blocks
// per SM and occupancy are recorded by the profiler for each kernel; without them (for example on AMD)
// dependent values are empty. Concurrent kernels add up, limited to 1. A rank's value is the mean over its
// devices with kernels. First sums by time range (one pass over device events and a sweep over kernels), then
// figures of any of these ranges.
#pragma once

#include "core/model/rank_trace.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// Sums over the kernels of a device, clipped to a time range. In nanoseconds.
struct GpuSums {
  double busy = 0;         // a kernel ran
  double blocks = 0;       // integral of min(blocks per SM of the running kernels, 1)
  double occupied = 0;     // percent of occupancy times duration, each kernel separately
  double occupiedTime = 0; // of the kernels that report it
  bool knowsBlocks = false;

  GpuSums& operator+=(const GpuSums& other);
};

struct DeviceSums {
  int device = -1;
  std::vector<GpuSums> sums; // by index in GpuParts::ranges
};

struct GpuParts {
  std::vector<TimeRange> ranges;   // ascending, without overlap
  std::vector<DeviceSums> devices; // with kernels anywhere in the recording, ascending
};

// ranges: ascending, without overlap; empty ones are dropped.
[[nodiscard]] GpuParts gpuParts(const RankTrace& trace, std::span<const TimeRange> ranges);

struct DeviceMetrics {
  int device = -1;
  double utilizationPct = 0; // share of time in which a kernel ran
  // Integral of min(blocks per SM of the running kernels, 1), as a share of time.
  std::optional<double> smEfficiencyPct;
  // Estimated achieved occupancy, weighted by duration, each kernel separately.
  std::optional<double> occupancyPct;
};

struct GpuMetrics {
  std::vector<DeviceMetrics> devices; // with kernels anywhere in the recording, ascending
  std::optional<double> utilizationPct;
  std::optional<double> smEfficiencyPct;
  std::optional<double> occupancyPct;
};

// Over the ranges of the parts that lie within one of these, ascending and without overlap; empty if there is
// none.
[[nodiscard]] GpuMetrics gpuMetrics(const GpuParts& parts, std::span<const TimeRange> within);
// Over one time range; empty if it is.
[[nodiscard]] GpuMetrics gpuMetrics(const RankTrace& trace, TimeRange measured);

// The same values over time, 0 to 1, in equal buckets of the window.
struct GpuSeries {
  TimeRange window;
  std::vector<float> busy;         // one per bucket
  std::vector<float> smEfficiency; // one per bucket; empty if no kernel has blocks per SM
};

[[nodiscard]] GpuSeries gpuSeries(const RankTrace& trace, int device, TimeRange window, std::size_t buckets);

} // namespace rankscope
