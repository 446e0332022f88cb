// SPDX-License-Identifier: GPL-3.0-or-later
// Launch queue of a rank: delay of kernels after their launch, kernels shorter than their launch call, and
// queue depth of each stream. Kernels are computation and communication, not memcpy and memset; a queue
// contains all device events launched on its stream. Only device events with a recorded launch count. A
// kernel belongs to the window in which it begins. At worst O(n log n) for n device events; O(n) for streams
// that run in launch order.
#pragma once

#include "core/base/exact_sum.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// Number of launches issued (launch call has begun) whose work has not begun on the stream, from `time` on.
struct QueueLevel {
  TimeNs time = 0;
  std::int64_t depth = 0;

  bool operator==(const QueueLevel&) const = default;
};

// Queue depth of a stream as a counter: ascending times, last depth 0. A device event that begins before its
// launch (clock skew) counts as launched when it begins. REQUIRES: stream is of kind Stream.
[[nodiscard]] std::vector<QueueLevel> queueLevels(const RankTrace& trace, TrackIndex stream);

struct StreamQueue {
  TrackIndex stream;
  std::int64_t launches = 0; // device events in the window that have a launch
  std::int64_t maxDepth = 0;
  // Time-weighted, from the first launch to the last begin on the stream, within the window.
  double meanDepth = 0;
};

struct LaunchStatistics {
  std::int64_t kernels = 0;  // in the window
  std::int64_t launched = 0; // of them, with a recorded launch; the following values are of these
  ExactSum delayTotal;       // sum of begin - end of the launch call; 0 for kernels that begin before that
  TimeNs delayMedian = 0;
  ExactSum callTotal; // of launch calls, each counted once
  // Kernels that took less time than their launch call, together with all other kernels of that call.
  std::int64_t shorterThanCall = 0;
  std::optional<double> kernelsPerStep; // mean number of kernels that begin in a step; empty without steps
  std::vector<StreamQueue> queues;      // streams with launches in the window, most launches first

  // 0 to 100; empty without a launched kernel.
  [[nodiscard]] std::optional<double> shorterThanCallPct() const;
};

// steps: sorted by begin, those that begin in the window. Where steps overlap, the first one counts.
[[nodiscard]] LaunchStatistics launchStatistics(const RankTrace& trace, std::span<const TimeRange> steps,
                                                TimeRange window = kAllTime);

} // namespace rankscope
