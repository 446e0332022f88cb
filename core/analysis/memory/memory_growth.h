// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a device's memory grows from step to step, and steps whose peak stands out. Of each step counts the
// least that was allocated within it: what every step allocates and frees again does not show. The level that
// a step begins with is the one before's, and of the first step not known, so that it counts only where
// nothing else is recorded within the step. Slopes are Theil-Sen's, which a few outliers
// cannot move. O(levels + steps squared), of at most kMaxSteps steps.
#pragma once

#include "core/analysis/memory/memory_profile.h"
#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct StepMemory {
  TimeRange step;
  std::int64_t minimum = 0; // allocated, within the step
  MemoryLevel peak;         // the first level of the step that reaches its most
};

// Steps in which the level is known, in order; a step that begins inside another one is left out.
// levels: of the whole recording, by time. steps: by begin.
[[nodiscard]] std::vector<StepMemory> memoryBySteps(std::span<const MemoryLevel> levels,
                                                    std::span<const TimeRange> steps);

struct MemoryGrowth {
  std::int64_t steps = 0;        // that were compared
  std::int64_t growingSteps = 0; // whose least exceeds that of the step before
  double bytesPerStep = 0;       // slope of the least

  // It grows, and in more than half of the steps.
  [[nodiscard]] bool isLeak() const { return bytesPerStep > 0 && 2 * growingSteps > steps - 1; }
};

inline constexpr std::size_t kMaxSteps = 1000; // of more, evenly spaced ones are compared

// Nothing for fewer than three steps.
[[nodiscard]] std::optional<MemoryGrowth> memoryGrowth(std::span<const StepMemory> steps);

struct MemorySpike {
  std::size_t step = 0; // index into the steps
  MemoryLevel peak;
  std::int64_t typicalPeak = 0; // the median of the steps' peaks
};

// Steps whose peak exceeds the typical one by more than a tenth and by more than minBytes, the highest
// first. Nothing for fewer than three steps.
[[nodiscard]] std::vector<MemorySpike> memorySpikes(std::span<const StepMemory> steps,
                                                    std::int64_t minBytes = std::int64_t{16} << 20);

} // namespace rankscope
