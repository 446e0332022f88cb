// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace rankscope::peers {

namespace {

struct Weighted {
  Range range;
  double value = 0;
};

struct Gpu {
  Ranges kernels;
  std::vector<Weighted> blocks;    // per SM
  std::vector<Weighted> occupancy; // per cent
};

std::map<std::int64_t, Gpu> gpusOf(const TbProfile& profile) {
  std::map<std::int64_t, Gpu> gpus;
  for (const TbEvent& event : profile.events().events) {
    if (event.type != TbType::Kernel) continue;
    const auto device = integerOf(event.peer->device);
    if (!device) continue;
    Gpu& gpu = gpus[*device];
    const Range range{event.ts(), event.end()};
    gpu.kernels.push_back(range);
    const auto blocks = numberOf(event.peer->blocksPerSm);
    if (blocks && *blocks > 0) gpu.blocks.push_back({range, *blocks});
    const auto occupancy = numberOf(event.peer->occupancy);
    if (occupancy && *occupancy >= 0) gpu.occupancy.push_back({range, *occupancy});
  }
  return gpus;
}

// Between two points of time the sum of what runs, at most 1.
std::vector<Weighted> running(const std::vector<Weighted>& kernels) {
  struct Point {
    double time;
    int type; // begins stand before ends
    double value;
  };
  std::vector<Point> points;
  for (const Weighted& k : kernels) {
    points.push_back({k.range.first, 0, k.value});
    points.push_back({k.range.second, 1, k.value});
  }
  std::ranges::stable_sort(points, {}, [](const Point& p) { return std::pair(p.time, p.type); });
  std::vector<Weighted> result;
  if (points.empty()) return result;
  double last = points[0].time;
  double value = points[0].value;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].time > last && value > 0) result.push_back({{last, points[i].time}, std::min(value, 1.0)});
    last = points[i].time;
    value += points[i].type == 0 ? points[i].value : -points[i].value;
  }
  return result;
}

std::optional<double> smEfficiency(const Gpu& gpu, Range window) {
  double sum = 0;
  bool any = false;
  for (const Weighted& part : running(gpu.blocks)) {
    const double length =
        std::min(part.range.second, window.second) - std::max(part.range.first, window.first);
    if (length <= 0) continue;
    any = true;
    sum += part.value * length;
  }
  if (!any) return std::nullopt;
  return sum / (window.second - window.first);
}

std::optional<double> occupancy(const Gpu& gpu, Range window) {
  double sum = 0, time = 0;
  for (const Weighted& kernel : gpu.occupancy) {
    const double length =
        std::min(kernel.range.second, window.second) - std::max(kernel.range.first, window.first);
    if (length <= 0) continue;
    sum += kernel.value * length;
    time += length;
  }
  if (time <= 0) return std::nullopt;
  return sum / time;
}

struct TensorCoreTime {
  double used = 0;
  double all = 0;
};

// Over the kernels that operators launched themselves, by device; empty without any.
std::map<std::int64_t, TensorCoreTime> tensorCoreTimes(const TbProfile& profile) {
  std::map<std::int64_t, TensorCoreTime> times;
  const auto threads = profile.threads();
  const TbNodes& nodes = profile.nodes();
  for (const std::uint32_t node : operatorNodes(nodes, threads, profile.rules())) {
    for (const std::uint32_t call : nodes.nodes[node].calls) {
      for (const std::uint32_t d : nodes.calls[call].devices) {
        const TbDevice& device = nodes.devices[d];
        if (!device.kernel) continue;
        TensorCoreTime& time =
            times[integerOf(profile.events().events[device.event].peer->device).value_or(-1)];
        const double duration = device.end - device.start;
        time.all += duration;
        if (device.tensorCores) time.used += duration;
      }
    }
  }
  return times;
}

struct KernelSums {
  bool tensorCores = false;
  double calls = 0, total = 0;
  double max = 0, min = 0;
  double blocks = 0, blocksTime = 0;
  double occupancy = 0, occupancyTime = 0;
};

} // namespace

void addTbGpu(const TbProfile& profile, const std::string& worker, Figures& to) {
  const Range window = profile.steps().gpuWindow.value_or(profile.steps().window());
  const auto times = tensorCoreTimes(profile);
  for (const auto& [id, gpu] : gpusOf(profile)) {
    const std::string row = fmt::format("{},{}", worker, id);
    to[{row, "utilization"}] =
        totalLength(common(merged(gpu.kernels), {window})) / (window.second - window.first);
    if (const auto value = smEfficiency(gpu, window)) to[{row, "sm_efficiency"}] = *value;
    if (const auto value = occupancy(gpu, window)) to[{row, "occupancy"}] = *value;
    if (times.empty()) continue;
    const auto time = times.find(id);
    const bool any = time != times.end() && time->second.all > 0;
    to[{row, "tensor_core_ratio"}] = any ? time->second.used / time->second.all : 0.0;
  }
}

void addTbKernels(const TbProfile& profile, const std::string& worker, Figures& to) {
  std::map<std::string_view, KernelSums> byName;
  const TbNodes& nodes = profile.nodes();
  const bool zero = profile.rules().has(TbRule::UnknownWeighsZero);
  bool anyBlocks = false, anyOccupancy = false;
  for (const TbDevice& device : nodes.devices) {
    if (!device.kernel) continue;
    const TbEvent& event = profile.events().events[device.event];
    const auto [place, isNew] = byName.try_emplace(event.name());
    KernelSums& sums = place->second;
    sums.tensorCores = device.tensorCores;
    ++sums.calls;
    sums.total += event.dur();
    sums.max = isNew ? event.dur() : std::max(sums.max, event.dur());
    sums.min = isNew ? event.dur() : std::min(sums.min, event.dur());
    const auto blocks = numberOf(event.peer->blocksPerSm);
    const auto occupancy = numberOf(event.peer->occupancy);
    anyBlocks |= blocks && *blocks > 0;
    anyOccupancy |= occupancy && *occupancy >= 0;
    if (blocks || zero) sums.blocksTime += event.dur();
    if (occupancy || zero) sums.occupancyTime += event.dur();
    sums.blocks += blocks.value_or(0) * event.dur();
    sums.occupancy += occupancy.value_or(0) * event.dur();
  }
  for (const auto& [name, sums] : byName) {
    const std::string row = fmt::format("{},{}", worker, name);
    to[{row, "Tensor Cores Used"}] = std::string(sums.tensorCores ? "Yes" : "No");
    to[{row, "Calls"}] = sums.calls;
    to[{row, "Total Duration (us)"}] = profile.events().microseconds(sums.total);
    to[{row, "Mean Duration (us)"}] = profile.events().microseconds(sums.total / sums.calls);
    to[{row, "Max Duration (us)"}] = profile.events().microseconds(sums.max);
    to[{row, "Min Duration (us)"}] = profile.events().microseconds(sums.min);
    if (anyBlocks && (zero || sums.blocksTime > 0))
      to[{row, "Mean Blocks Per SM"}] = sums.blocksTime > 0 ? sums.blocks / sums.blocksTime : 0;
    if (anyOccupancy && (zero || sums.occupancyTime > 0))
      to[{row, "Mean Est. Achieved Occupancy (%)"}] =
          sums.occupancyTime > 0 ? sums.occupancy / sums.occupancyTime : 0;
  }
}

void addTbOperators(const TbProfile& profile, const std::string& worker, Figures& to) {
  struct Sums {
    double calls = 0, hostTotal = 0, hostSelf = 0;
    double deviceTotal = 0, deviceSelf = 0, tensorCoreTotal = 0, tensorCoreSelf = 0;
  };
  std::map<std::string_view, Sums> byName;
  const auto threads = profile.threads();
  for (const std::uint32_t index : operatorNodes(profile.nodes(), threads, profile.rules())) {
    const TbNode& node = profile.nodes().nodes[index];
    Sums& sums = byName[node.name];
    ++sums.calls;
    sums.hostTotal += node.duration();
    sums.hostSelf += node.hostSelf;
    sums.deviceTotal += node.deviceTotal;
    sums.deviceSelf += node.deviceSelf;
    sums.tensorCoreTotal += node.tensorCoreTotal;
    sums.tensorCoreSelf += node.tensorCoreSelf;
  }
  for (const auto& [name, sums] : byName) {
    const std::string row = fmt::format("{},{}", worker, name);
    to[{row, "calls"}] = sums.calls;
    to[{row, "device_self_us"}] = profile.events().microseconds(sums.deviceSelf);
    to[{row, "device_total_us"}] = profile.events().microseconds(sums.deviceTotal);
    to[{row, "host_self_us"}] = profile.events().microseconds(sums.hostSelf);
    to[{row, "host_total_us"}] = profile.events().microseconds(sums.hostTotal);
    to[{row, "tc_self_ratio"}] = sums.deviceSelf > 0 ? sums.tensorCoreSelf / sums.deviceSelf : 0;
    to[{row, "tc_total_ratio"}] = sums.deviceTotal > 0 ? sums.tensorCoreTotal / sums.deviceTotal : 0;
  }
}

} // namespace rankscope::peers
