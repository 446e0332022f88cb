// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/memory_growth.h"

#include "core/base/statistics.h"

#include <algorithm>

namespace rankscope {

std::vector<StepMemory> memoryBySteps(std::span<const MemoryLevel> levels, std::span<const TimeRange> steps) {
  std::vector<StepMemory> result;
  std::size_t next = 0; // first level after the last examined time
  for (const TimeRange step : steps) {
    if (step.empty() || (!result.empty() && step.begin < result.back().step.end)) continue;
    while (next < levels.size() && levels[next].time <= step.begin) ++next;
    std::optional<StepMemory> memory;
    if (next > 0) {
      memory = StepMemory{step, levels[next - 1].allocated, levels[next - 1]};
      memory->peak.time = step.begin;
    }
    for (bool first = true; next < levels.size() && levels[next].time < step.end; ++next, first = false) {
      const MemoryLevel& level = levels[next];
      if (!memory) memory = StepMemory{step, level.allocated, level};
      memory->minimum = first ? level.allocated : std::min(memory->minimum, level.allocated);
      if (level.allocated > memory->peak.allocated) memory->peak = level;
    }
    if (memory) result.push_back(*memory);
  }
  return result;
}

std::optional<MemoryGrowth> memoryGrowth(std::span<const StepMemory> steps) {
  if (steps.size() < 3) return std::nullopt;
  MemoryGrowth growth;
  growth.steps = static_cast<std::int64_t>(steps.size());
  for (std::size_t i = 1; i < steps.size(); ++i)
    growth.growingSteps += steps[i].minimum > steps[i - 1].minimum;
  const std::size_t stride = (steps.size() + kMaxSteps - 1) / kMaxSteps;
  std::vector<SlopePoint> minimum;
  for (std::size_t i = 0; i < steps.size(); i += stride)
    minimum.push_back({static_cast<std::int64_t>(minimum.size()), steps[i].minimum});
  growth.bytesPerStep = theilSenSlope(minimum).value_or(0) / static_cast<double>(stride);
  return growth;
}

std::vector<MemorySpike> memorySpikes(std::span<const StepMemory> steps, std::int64_t minBytes) {
  std::vector<MemorySpike> spikes;
  if (steps.size() < 3) return spikes;
  std::vector<std::int64_t> peaks;
  for (const StepMemory& step : steps) peaks.push_back(step.peak.allocated);
  const std::int64_t typical = wholeMedian(std::move(peaks));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t excess = steps[i].peak.allocated - typical;
    if (excess > minBytes && excess > typical / 10) spikes.push_back({i, steps[i].peak, typical});
  }
  std::ranges::stable_sort(spikes, std::greater<>{}, [](const MemorySpike& s) { return s.peak.allocated; });
  return spikes;
}

} // namespace rankscope
