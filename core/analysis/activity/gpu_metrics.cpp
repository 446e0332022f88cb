// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/gpu_metrics.h"

#include "core/base/sort_runs.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <array>
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
  // ranges: ascending, without overlap.
  explicit DeviceKernels(std::span<const TimeRange> ranges) : m_ranges(ranges), m_occupied(ranges.size()) {}

  void add(const Row& row, TimeRange range, const DeviceDetail& detail) {
    m_any = true;
    if (std::exchange(m_row, &row) != &row) {
      m_busy.beginRow();
      m_at = 0;
    }
    while (m_at < m_ranges.size() && m_ranges[m_at].end <= range.begin) ++m_at;
    for (std::size_t at = m_at; at < m_ranges.size() && m_ranges[at].begin < range.end; ++at)
      addPart(at, range.clippedTo(m_ranges[at]), detail);
  }

  [[nodiscard]] bool any() const { return m_any; }
  [[nodiscard]] bool knowsBlocks() const { return !m_begins.empty(); }
  [[nodiscard]] IntervalSet takeBusy() { return m_busy.take(); }
  // By range.
  [[nodiscard]] std::vector<GpuSums> takeSums() {
    std::vector<GpuSums> sums = std::move(m_occupied);
    const IntervalSet busy = m_busy.take();
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i].busy = static_cast<double>(busy.coveredWithin(m_ranges[i]));
    std::size_t at = 0;
    sweep([&](TimeRange range, double share) {
      while (m_ranges[at].end <= range.begin) ++at;
      for (std::size_t i = at; i < m_ranges.size() && m_ranges[i].begin < range.end; ++i)
        sums[i].blocks += share * static_cast<double>(range.clippedTo(m_ranges[i]).length());
    });
    return sums;
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
  void addPart(std::size_t at, TimeRange range, const DeviceDetail& detail) {
    if (range.empty()) return;
    m_busy.add(range);
    GpuSums& sums = m_occupied[at];
    if (detail.blocksPerSm > 0 && std::isfinite(detail.blocksPerSm)) {
      m_begins.push_back({range.begin, detail.blocksPerSm});
      m_ends.push_back({range.end, detail.blocksPerSm});
      sums.knowsBlocks = true;
    }
    if (detail.occupancyPct >= 0 && std::isfinite(detail.occupancyPct)) {
      const auto time = static_cast<double>(range.length());
      sums.occupied += static_cast<double>(detail.occupancyPct) * time;
      sums.occupiedTime += time;
    }
  }

  std::span<const TimeRange> m_ranges;
  std::vector<GpuSums> m_occupied; // by range; only the sums of single kernels
  std::size_t m_at = 0;            // the first range that does not end before the row's last kernel
  bool m_any = false;
  const Row* m_row = nullptr; // row of the kernel that was added last
  IntervalBuilder m_busy;
  std::vector<Change> m_begins;
  std::vector<Change> m_ends;
};

// By index in trace.devices.
std::vector<DeviceKernels> kernelsOfDevices(const RankTrace& trace, std::span<const TimeRange> ranges) {
  std::vector<DeviceKernels> devices(trace.devices.size(), DeviceKernels(ranges));
  for (const Row& row : trace.rows) {
    if (row.firstEvent < trace.deviceBegin || row.firstEvent >= trace.deviceEnd) continue;
    for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
      const EventKind kind = trace.events.kind[event];
      if (kind != EventKind::Kernel && kind != EventKind::Collective) continue;
      const DeviceDetail& detail = trace.deviceDetail(event);
      const auto at = std::lower_bound(trace.devices.begin(), trace.devices.end(), detail.device);
      devices[static_cast<std::size_t>(at - trace.devices.begin())].add(row, trace.events.range(event),
                                                                        detail);
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

GpuSums& GpuSums::operator+=(const GpuSums& other) {
  busy += other.busy;
  blocks += other.blocks;
  occupied += other.occupied;
  occupiedTime += other.occupiedTime;
  knowsBlocks = knowsBlocks || other.knowsBlocks;
  return *this;
}

GpuParts gpuParts(const RankTrace& trace, std::span<const TimeRange> ranges) {
  GpuParts parts;
  parts.ranges.assign(ranges.begin(), ranges.end());
  std::erase_if(parts.ranges, [](const TimeRange& range) { return range.empty(); });
  if (parts.ranges.empty()) return parts;
  std::vector<DeviceKernels> devices = kernelsOfDevices(trace, parts.ranges);
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].any()) parts.devices.push_back({trace.devices[i], devices[i].takeSums()});
  return parts;
}

GpuMetrics gpuMetrics(const GpuParts& parts, std::span<const TimeRange> within) {
  std::vector<std::size_t> asked;
  GpuMetrics metrics;
  double time = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.ranges.size(); ++i) {
    while (at < within.size() && within[at].end < parts.ranges[i].end) ++at;
    if (at == within.size()) break;
    if (parts.ranges[i].begin < within[at].begin) continue;
    asked.push_back(i);
    time += static_cast<double>(parts.ranges[i].length());
  }
  if (asked.empty()) return metrics;
  for (const DeviceSums& device : parts.devices) {
    GpuSums sums;
    for (const std::size_t i : asked) sums += device.sums[i];
    DeviceMetrics& of = metrics.devices.emplace_back();
    of.device = device.device;
    of.utilizationPct = 100.0 * sums.busy / time;
    if (sums.occupiedTime > 0) of.occupancyPct = sums.occupied / sums.occupiedTime;
    if (sums.knowsBlocks) of.smEfficiencyPct = 100.0 * sums.blocks / time;
  }
  metrics.utilizationPct =
      meanOf(metrics.devices, [](const DeviceMetrics& d) { return std::optional(d.utilizationPct); });
  metrics.smEfficiencyPct = meanOf(metrics.devices, [](const DeviceMetrics& d) { return d.smEfficiencyPct; });
  metrics.occupancyPct = meanOf(metrics.devices, [](const DeviceMetrics& d) { return d.occupancyPct; });
  return metrics;
}

GpuMetrics gpuMetrics(const RankTrace& trace, TimeRange measured) {
  const std::array ranges{measured};
  return gpuMetrics(gpuParts(trace, ranges), ranges);
}

GpuSeries gpuSeries(const RankTrace& trace, int device, TimeRange window, std::size_t buckets) {
  GpuSeries series;
  series.window = window;
  const auto at = std::lower_bound(trace.devices.begin(), trace.devices.end(), device);
  if (window.empty() || buckets == 0 || at == trace.devices.end() || *at != device) return series;
  const std::array windows{window};
  std::vector<DeviceKernels> devices = kernelsOfDevices(trace, windows);
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
