// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/kernel_statistics.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace rankscope {

namespace {

// Ignores values that were not reported; a reported 0 counts.
void addReported(WeightedMean& mean, float value, TimeNs duration) {
  if (std::isfinite(value) && value >= 0) mean.add(static_cast<double>(value), static_cast<double>(duration));
}

// Sums of one name. The standard deviation uses Welford's algorithm, which is accurate for large sums.
struct Sums {
  KernelStatistics statistics;
  std::uint32_t detail = 0;
  double runningMean = 0;
  double squares = 0;
  WeightedMean blocks;
  WeightedMean occupancy;

  void add(TimeNs duration, const DeviceDetail& reported) {
    KernelStatistics& s = statistics;
    s.min = s.calls == 0 ? duration : std::min(s.min, duration);
    s.max = std::max(s.max, duration);
    s.total += duration;
    ++s.calls;
    const double distance = static_cast<double>(duration) - runningMean;
    runningMean += distance / static_cast<double>(s.calls);
    squares += distance * (static_cast<double>(duration) - runningMean);
    addReported(blocks, reported.blocksPerSm, duration);
    addReported(occupancy, reported.occupancyPct, duration);
  }
  [[nodiscard]] KernelStatistics finished() const {
    KernelStatistics s = statistics;
    s.meanNs = static_cast<double>(s.total) / static_cast<double>(s.calls);
    if (s.calls > 1) s.stddevNs = std::sqrt(squares / static_cast<double>(s.calls - 1));
    s.blocksPerSm = blocks.value();
    s.occupancyPct = occupancy.value();
    return s;
  }
};

class SumsByDetail {
 public:
  void add(const DetailedWindow& part) {
    const RankTrace& trace = *part.trace;
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
      const EventKind kind = trace.events.kind[event];
      if (!isDeviceActivity(kind) || !part.window.contains(trace.events.begin[event])) continue;
      const std::size_t place = event.value - trace.deviceBegin.value;
      of(trace.events.name[event], deviceClassOf(kind), part.details.empty() ? 0 : part.details[place])
          .add(trace.events.duration[event], trace.deviceDetail(event));
    }
  }

  [[nodiscard]] std::vector<DetailedKernel> finished(const StringTable& names) const {
    std::vector<DetailedKernel> result;
    result.reserve(m_sums.size());
    for (const Sums& sum : m_sums) result.push_back({sum.finished(), sum.detail});
    std::sort(result.begin(), result.end(), [&](const DetailedKernel& a, const DetailedKernel& b) {
      const auto& [of, detail] = a;
      const auto& [other, otherDetail] = b;
      if (of.total != other.total) return of.total > other.total;
      if (of.name != other.name) return names[of.name] < names[other.name];
      return std::tuple(of.deviceClass, detail) < std::tuple(other.deviceClass, otherDetail);
    });
    return result;
  }

 private:
  Sums& of(NameId name, DeviceClass deviceClass, std::uint32_t detail) {
    // There are far fewer than 2^30 names: their texts would take 16 GB.
    const std::uint64_t key = (std::uint64_t{detail} << 32) | (std::uint64_t{name.value} << 2) |
                              static_cast<std::uint64_t>(deviceClass);
    const auto [place, isNew] = m_places.try_emplace(key, m_sums.size());
    if (isNew) {
      m_sums.emplace_back();
      m_sums.back().statistics.name = name;
      m_sums.back().statistics.deviceClass = deviceClass;
      m_sums.back().detail = detail;
    }
    return m_sums[place->second];
  }

  std::vector<Sums> m_sums;
  std::unordered_map<std::uint64_t, std::size_t> m_places;
};

} // namespace

DeviceClass deviceClassOf(EventKind kind) {
  if (kind == EventKind::Kernel) return DeviceClass::Compute;
  return kind == EventKind::Collective ? DeviceClass::Communication : DeviceClass::Memory;
}

std::string_view deviceClassText(DeviceClass deviceClass) {
  switch (deviceClass) {
  case DeviceClass::Compute:
    return "compute";
  case DeviceClass::Communication:
    return "communication";
  case DeviceClass::Memory:
    return "memory";
  }
  return {};
}

std::vector<KernelStatistics> kernelStatistics(const RankTrace& trace, const StringTable& names,
                                               TimeRange window) {
  const WindowOfTrace one{&trace, window};
  return kernelStatistics(std::span(&one, 1), names);
}

std::vector<KernelStatistics> kernelStatistics(std::span<const WindowOfTrace> parts,
                                               const StringTable& names) {
  std::vector<DetailedWindow> all;
  for (const WindowOfTrace& part : parts) all.push_back({part.trace, part.window, {}});
  std::vector<KernelStatistics> kernels;
  for (const DetailedKernel& of : kernelStatisticsByDetail(all, names)) kernels.push_back(of.kernel);
  return kernels;
}

std::vector<DetailedKernel> kernelStatisticsByDetail(std::span<const DetailedWindow> parts,
                                                     const StringTable& names) {
  SumsByDetail sums;
  for (const DetailedWindow& part : parts) sums.add(part);
  return sums.finished(names);
}

} // namespace rankscope
