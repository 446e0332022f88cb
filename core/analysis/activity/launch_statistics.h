// SPDX-License-Identifier: GPL-3.0-or-later
// How far ahead of its devices a host runs: how long kernels waited after their launch, how many were shorter
// than the call that launched them, and how many launches a stream had in store. Kernels are computation and
// communication, without memcpy and memset; the queue of a stream holds everything that was launched on it.
// Only device events with a recorded launch are known here. A kernel belongs to the window in which it
// begins. O(n log n) for n device events at worst, O(n) for streams that run in the order of their launches.
#pragma once

#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// Launches issued (their calls begun) and not yet begun on the stream, from this time on.
struct QueueLevel {
  TimeNs time = 0;
  std::int64_t depth = 0;

  bool operator==(const QueueLevel&) const = default;
};

// For a counter of the stream: by time, one level a time, the last one 0. A device event that begins before
// its launch, by the skew of clocks, counts as launched when it begins. REQUIRES: stream is of kind Stream.
[[nodiscard]] std::vector<QueueLevel> queueLevels(const RankTrace& trace, TrackIndex stream);

struct StreamQueue {
  TrackIndex stream;
  std::int64_t launches = 0; // device events of the window with a launch
  std::int64_t maxDepth = 0;
  // Weighted by time, from the first launch to the last begin of the stream, within the window.
  double meanDepth = 0;
};

struct LaunchStatistics {
  std::int64_t kernels = 0;  // of the window
  std::int64_t launched = 0; // of them, with a recorded launch; what follows is of these
  ExactSum delayTotal;       // sum of begin - end of the launch call, 0 when it began before that
  TimeNs delayMedian = 0;
  ExactSum callTotal; // of the launch calls, each once
  // Kernels that, with all others of their launch call, took less time than the call.
  std::int64_t shorterThanCall = 0;
  std::optional<double>
      kernelsPerStep;              // mean number of kernels that begin within a step; empty without steps
  std::vector<StreamQueue> queues; // of streams with launches in the window, the most launches first

  // 0 to 100; empty without a launched kernel.
  [[nodiscard]] std::optional<double> shorterThanCallPct() const;
};

// steps: by begin, those that begin in the window; of steps that overlap the first counts.
[[nodiscard]] LaunchStatistics launchStatistics(const RankTrace& trace, std::span<const TimeRange> steps,
                                                TimeRange window = kAllTime);

} // namespace rankscope
