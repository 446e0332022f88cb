// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/memory_view.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/job/analysis.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace rankscope {

namespace {

const DeviceMemory& deviceOf(const Analysis& analysis, MemoryPlace place) {
  return analysis.memory(place.rank).devices[place.device];
}

std::vector<TimeRange> stepRanges(const Analysis& analysis, RankIndex rank) {
  std::vector<TimeRange> ranges;
  const StepWindows& steps = analysis.stepWindows(rank);
  if (!steps.areSteps()) return ranges;
  for (const StepWindow& step : steps.steps) ranges.push_back(step.range);
  return ranges;
}

std::optional<std::int64_t> bytesOfDevice(const RankTrace& trace, const MemoryDevice& device) {
  if (device.onHost) return std::nullopt;
  for (const DeviceProperties& known : trace.metadata.devices) {
    if (known.id == device.id && known.totalMemoryBytes > 0)
      return static_cast<std::int64_t>(known.totalMemoryBytes);
  }
  return std::nullopt;
}

} // namespace

std::vector<MemoryPlace> memoryPlaces(const Analysis& analysis) {
  std::vector<MemoryPlace> places;
  for (const RankIndex rank : analysis.ranks()) {
    const auto& devices = analysis.memory(rank).devices;
    for (std::uint32_t device = 0; device < devices.size(); ++device)
      if (devices[device].peakAllocated) places.push_back({rank, device});
  }
  std::ranges::stable_sort(places, {}, [&](const MemoryPlace& place) {
    const DeviceMemory& device = deviceOf(analysis, place);
    return std::tuple(device.device.onHost, -device.peakAllocated->allocated);
  });
  return places;
}

bool lacksDeviceMemory(const Analysis& analysis, RankIndex rank) {
  const std::vector<DeviceMemory>& devices = analysis.memory(rank).devices;
  return !devices.empty() && std::ranges::all_of(devices, [](const auto& of) { return of.device.onHost; }) &&
         hasDeviceEvents(analysis.trace(), rank);
}

std::optional<std::int64_t> peakAllocatedOf(const Analysis& analysis, RankIndex rank) {
  return lacksDeviceMemory(analysis, rank) ? std::nullopt : analysis.memory(rank).peakAllocatedBytes();
}

MemoryFigures memoryFigures(const Analysis& analysis, MemoryPlace place) {
  const DeviceMemory& device = deviceOf(analysis, place);
  MemoryFigures figures;
  figures.peakAllocated = device.peakAllocated;
  figures.peakReserved = device.peakReserved;
  figures.unused = device.fragmentationAtPeak();
  figures.deviceBytes = bytesOfDevice(*analysis.trace().rank(place.rank).trace, device.device);
  const StepWindows& steps = analysis.stepWindows(place.rank);
  if (device.peakAllocated && steps.areSteps()) {
    if (const auto step = steps.indexAt(device.peakAllocated->time))
      figures.peakStep = steps.steps[*step].number;
  }
  figures.growth = memoryGrowth(memoryBySteps(device.levels, stepRanges(analysis, place.rank)));
  return figures;
}

std::vector<MemoryLevel> thinnedLevels(std::span<const MemoryLevel> levels, TimeRange range,
                                       std::size_t buckets) {
  std::vector<MemoryLevel> thinned;
  auto at = std::ranges::lower_bound(levels, range.begin, {}, &MemoryLevel::time);
  const auto end = std::ranges::lower_bound(levels, range.end, {}, &MemoryLevel::time);
  const auto parts = static_cast<TimeNs>(buckets);
  // Rounded up, so that every part has at least one nanosecond.
  const TimeNs length = std::max<TimeNs>(1, (range.length() + parts - 1) / parts);
  while (at != end) {
    const TimeNs partEnd = range.begin + ((at->time - range.begin) / length + 1) * length;
    const auto last = std::ranges::lower_bound(at, end, partEnd, {}, &MemoryLevel::time);
    const auto [minimum, maximum] = std::ranges::minmax_element(at, last, {}, &MemoryLevel::allocated);
    std::array chosen{at, minimum, maximum, last - 1};
    std::ranges::sort(chosen);
    const auto distinctEnd = std::unique(chosen.begin(), chosen.end());
    for (auto it = chosen.begin(); it != distinctEnd; ++it) thinned.push_back(**it);
    at = last;
  }
  return thinned;
}

ResultTable memoryOperatorsTable(const Analysis& analysis, MemoryPlace place) {
  ResultTable table("memory_operators", {{"operator", Unit::Text},
                                         {"calls", Unit::Count},
                                         {"self_size_increase_bytes", Unit::Bytes},
                                         {"size_increase_bytes", Unit::Bytes},
                                         {"self_allocations", Unit::Count},
                                         {"self_allocation_bytes", Unit::Bytes},
                                         {"allocations", Unit::Count},
                                         {"allocation_bytes", Unit::Bytes}});
  for (const OperatorMemory& op : analysis.memory(place.rank).operators) {
    if (op.device != place.device) continue;
    table.addRow({Cell(analysis.trace().names()[op.name]), Cell(op.calls), Cell(op.selfSizeIncrease),
                  Cell(op.sizeIncrease), Cell(op.selfAllocations), Cell(op.selfAllocationBytes),
                  Cell(op.allocations), Cell(op.allocationBytes)});
  }
  return table;
}

ResultTable blocksTable(const Analysis& analysis, RankIndex rank, std::span<const MemoryBlock> blocks,
                        const std::function<std::string(const MemoryBlock&)>& sourceOf) {
  ResultTable table("memory_blocks", {{"bytes", Unit::Bytes},
                                      {"operator", Unit::Text},
                                      {"source", Unit::Text},
                                      {"allocated_us", Unit::Nanoseconds},
                                      {"freed_us", Unit::Nanoseconds},
                                      {"held_us", Unit::Nanoseconds}});
  const EventColumns& events = analysis.trace().rank(rank).trace->events;
  for (const MemoryBlock& block : blocks) {
    const bool begins = block.life.begin != kAllTime.begin;
    const bool ends = block.life.end != kAllTime.end;
    const std::string source = sourceOf(block);
    table.addRow(
        {Cell(block.bytes),
         block.allocatedBy.valid() ? Cell(analysis.trace().names()[events.name[block.allocatedBy]]) : Cell(),
         textCell(source), begins ? Cell(sinceJobBegin(analysis, rank, RankTime(block.life.begin))) : Cell(),
         ends ? Cell(sinceJobBegin(analysis, rank, RankTime(block.life.end))) : Cell(),
         begins && ends ? Cell(block.life.length()) : Cell()});
  }
  return table;
}

} // namespace rankscope
