// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/gpu_metrics.h"

#include "core/base/sort_runs.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope {

namespace {

// A change of the number of resident blocks.
struct Change {
  TimeNs time;
  float blocks;
};

class DeviceKernels {
 public:
  void add(const Row& row, TimeRange range, const DeviceDetail& detail, TimeRange measured) {
    m_any = true;
    if (std::exchange(m_row, &row) != &row) m_busy.beginRow();
    range = range.clippedTo(measured);
    if (range.empty()) return;
    m_busy.add(range);
    if (detail.blocksPerSm > 0 && std::isfinite(detail.blocksPerSm)) {
      m_begins.push_back({range.begin, detail.blocksPerSm});
      m_ends.push_back({range.end, detail.blocksPerSm});
    }
    if (detail.occupancyPct >= 0 && std::isfinite(detail.occupancyPct)) {
      const auto time = static_cast<double>(range.length());
      m_occupied += static_cast<double>(detail.occupancyPct) * time;
      m_occupiedTime += time;
    }
  }

  [[nodiscard]] bool any() const { return m_any; }
  [[nodiscard]] bool knowsBlocks() const { return !m_begins.empty(); }
  [[nodiscard]] IntervalSet takeBusy() { return m_busy.take(); }
  [[nodiscard]] std::optional<double> occupancyPct() const {
    return m_occupiedTime > 0 ? std::optional(m_occupied / m_occupiedTime) : std::nullopt;
  }
  // Calls visit(TimeRange, share of SMs with a block) in time order, for times in which it is not 0.
  template <class Visit> void sweep(Visit&& visit) {
    const auto earlier = [](const Change& a, const Change& b) { return a.time < b.time; };
    sortRuns(m_begins, earlier);
    sortRuns(m_ends, earlier);
    double blocks = 0;
    TimeNs time = 0;
    std::size_t begun = 0;
    for (std::size_t ended = 0; ended < m_ends.size();) {
      const bool begins = begun < m_begins.size() && m_begins[begun].time < m_ends[ended].time;
      const Change& change = begins ? m_begins[begun] : m_ends[ended];
      if (begun > ended && time < change.time) visit(TimeRange{time, change.time}, std::min(blocks, 1.0));
      time = change.time;
      if (begins) {
        blocks += static_cast<double>(change.blocks);
        ++begun;
      } else {
        blocks -= static_cast<double>(change.blocks);
        ++ended;
      }
      // Rounding errors must not remain after the last kernel.
      if (begun == ended) blocks = 0;
    }
  }

 private:
  bool m_any = false;
  const Row* m_row = nullptr; // row of the kernel that was added last
  IntervalBuilder m_busy;
  std::vector<Change> m_begins;
  std::vector<Change> m_ends;
  double m_occupied = 0;
  double m_occupiedTime = 0;
};

// By index in trace.devices.
std::vector<DeviceKernels> kernelsOfDevices(const RankTrace& trace, TimeRange measured) {
  std::vector<DeviceKernels> devices(trace.devices.size());
  for (const Row& row : trace.rows) {
    if (row.firstEvent < trace.deviceBegin || row.firstEvent >= trace.deviceEnd) continue;
    for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
      const EventKind kind = trace.events.kind[event];
      if (kind != EventKind::Kernel && kind != EventKind::Collective) continue;
      const DeviceDetail& detail = trace.deviceDetail(event);
      const auto at = std::lower_bound(trace.devices.begin(), trace.devices.end(), detail.device);
      devices[static_cast<std::size_t>(at - trace.devices.begin())].add(row, trace.events.range(event),
                                                                        detail, measured);
    }
  }
  return devices;
}

std::optional<double> meanOf(const std::vector<DeviceMetrics>& devices,
                             std::optional<double> (*figure)(const DeviceMetrics&)) {
  double sum = 0;
  double count = 0;
  for (const DeviceMetrics& device : devices) {
    const std::optional<double> value = figure(device);
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

TimeNs bucketBegin(TimeRange window, std::size_t buckets, std::size_t at) {
  const auto n = static_cast<TimeNs>(buckets);
  const auto i = static_cast<TimeNs>(at);
  return window.begin + window.length() / n * i + window.length() % n * i / n;
}

} // namespace

GpuMetrics gpuMetrics(const RankTrace& trace, TimeRange measured) {
  GpuMetrics metrics;
  metrics.measured = measured;
  if (measured.empty()) return metrics;
  const auto time = static_cast<double>(measured.length());
  std::vector<DeviceKernels> devices = kernelsOfDevices(trace, measured);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceKernels& kernels = devices[i];
    if (!kernels.any()) continue;
    DeviceMetrics& device = metrics.devices.emplace_back();
    device.device = trace.devices[i];
    device.utilizationPct = 100.0 * static_cast<double>(kernels.takeBusy().totalLength()) / time;
    device.occupancyPct = kernels.occupancyPct();
    if (!kernels.knowsBlocks()) continue;
    double integral = 0;
    kernels.sweep(
        [&](TimeRange range, double share) { integral += share * static_cast<double>(range.length()); });
    device.smEfficiencyPct = 100.0 * integral / time;
  }
  metrics.utilizationPct =
      meanOf(metrics.devices, [](const DeviceMetrics& d) { return std::optional(d.utilizationPct); });
  metrics.smEfficiencyPct = meanOf(metrics.devices, [](const DeviceMetrics& d) { return d.smEfficiencyPct; });
  metrics.occupancyPct = meanOf(metrics.devices, [](const DeviceMetrics& d) { return d.occupancyPct; });
  return metrics;
}

GpuSeries gpuSeries(const RankTrace& trace, int device, TimeRange window, std::size_t buckets) {
  GpuSeries series;
  series.window = window;
  const auto at = std::lower_bound(trace.devices.begin(), trace.devices.end(), device);
  if (window.empty() || buckets == 0 || at == trace.devices.end() || *at != device) return series;
  std::vector<DeviceKernels> devices = kernelsOfDevices(trace, window);
  DeviceKernels& kernels = devices[static_cast<std::size_t>(at - trace.devices.begin())];
  const IntervalSet busy = kernels.takeBusy();
  std::vector<double> blocks(buckets, 0);
  std::size_t bucket = 0;
  kernels.sweep([&](TimeRange range, double share) {
    while (bucketBegin(window, buckets, bucket + 1) <= range.begin) ++bucket;
    for (std::size_t b = bucket; b < buckets && bucketBegin(window, buckets, b) < range.end; ++b) {
      const TimeRange part =
          range.clippedTo({bucketBegin(window, buckets, b), bucketBegin(window, buckets, b + 1)});
      blocks[b] += share * static_cast<double>(part.length());
    }
  });
  for (std::size_t b = 0; b < buckets; ++b) {
    const TimeRange range{bucketBegin(window, buckets, b), bucketBegin(window, buckets, b + 1)};
    const double time = std::max(1.0, static_cast<double>(range.length()));
    series.busy.push_back(static_cast<float>(static_cast<double>(busy.coveredWithin(range)) / time));
    if (kernels.knowsBlocks()) series.smEfficiency.push_back(static_cast<float>(blocks[b] / time));
  }
  return series;
}

} // namespace rankscope
