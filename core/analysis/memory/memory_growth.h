// SPDX-License-Identifier: GPL-3.0-or-later
// Detects memory growth over steps, and steps with unusual peaks. Each step is represented by the minimum
// allocated within it, so memory that a step allocates and frees again does not count. The level at the begin
// of a step is the last one before it; in the first step it is unknown, so it counts only if nothing else is
// recorded there. Slopes are Theil-Sen slopes, robust against outliers. O(levels + steps squared), for at
// most kMaxSteps steps.
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
  std::int64_t minimum = 0; // allocated bytes in the step
  MemoryLevel peak;         // the first maximum of the step
};

// Steps with a known level, in order; steps that begin inside another step are excluded. levels: of the whole
// recording, sorted by time. steps: sorted by begin.
[[nodiscard]] std::vector<StepMemory> memoryBySteps(std::span<const MemoryLevel> levels,
                                                    std::span<const TimeRange> steps);

struct MemoryGrowth {
  std::int64_t steps = 0;        // number of compared steps
  std::int64_t growingSteps = 0; // steps whose minimum exceeds that of the previous one
  double bytesPerStep = 0;       // slope of the minimum

  // Whether memory grows, and in more than half of the steps.
  [[nodiscard]] bool isLeak() const { return bytesPerStep > 0 && 2 * growingSteps > steps - 1; }
};

inline constexpr std::size_t kMaxSteps = 1000; // of more steps, this many are sampled evenly

// Empty for fewer than three steps.
[[nodiscard]] std::optional<MemoryGrowth> memoryGrowth(std::span<const StepMemory> steps);

struct MemorySpike {
  std::size_t step = 0; // index into the steps
  MemoryLevel peak;
  std::int64_t typicalPeak = 0; // median peak of the steps
};

// Steps whose peak exceeds the median peak by more than a tenth and more than minBytes, highest first. Empty
// for fewer than three steps.
[[nodiscard]] std::vector<MemorySpike> memorySpikes(std::span<const StepMemory> steps,
                                                    std::int64_t minBytes = std::int64_t{16} << 20);

} // namespace rankscope
