// SPDX-License-Identifier: GPL-3.0-or-later
// How well a rank's devices were used: by kernels, including communication, without memcpy and memset.
// Blocks per SM and occupancy are what the profiler wrote beside each kernel; without them (for example on
// AMD) the figures that need them are not known. Kernels that run at once add up, to a device's limit.
// Figures of a rank are means over its devices with kernels. One pass over the device events and a sweep over
// the kernels.
#pragma once

#include "core/model/rank_trace.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope {

struct DeviceMetrics {
  int device = -1;
  double utilizationPct = 0; // share of the time in which a kernel ran
  // Integral of min(blocks per SM of the running kernels, 1), as a share of the time.
  std::optional<double> smEfficiencyPct;
  // Est. achieved occupancy, weighted by the kernels' time; each counts for itself.
  std::optional<double> occupancyPct;
};

struct GpuMetrics {
  TimeRange measured;
  std::vector<DeviceMetrics> devices; // with kernels anywhere in the recording, ascending
  std::optional<double> utilizationPct;
  std::optional<double> smEfficiencyPct;
  std::optional<double> occupancyPct;
};

// Over the time range `measured`; empty results for an empty range.
[[nodiscard]] GpuMetrics gpuMetrics(const RankTrace& trace, TimeRange measured);

// The same figures as they change, 0 to 1, in equal buckets of the window.
struct GpuSeries {
  TimeRange window;
  std::vector<float> busy;         // one a bucket
  std::vector<float> smEfficiency; // one a bucket; empty when no kernel records blocks per SM
};

[[nodiscard]] GpuSeries gpuSeries(const RankTrace& trace, int device, TimeRange window, std::size_t buckets);

} // namespace rankscope
