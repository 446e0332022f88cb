// SPDX-License-Identifier: GPL-3.0-or-later
// An event compared with all events of the same name in the job: count, durations, percentile. One pass over
// the name columns, for a worker; can be canceled.
#pragma once

#include "core/base/exact_sum.h"
#include "core/model/trace_set.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rankscope::ui {

struct NameStatistics {
  static constexpr std::size_t kBuckets = 40;

  std::size_t count = 0;       // in the job; 0: not computed
  std::size_t countOnRank = 0; // on the event's rank
  ExactSum total;
  TimeNs shortest = 0;
  TimeNs median = 0;
  TimeNs longest = 0;
  double shorterPct = 0; // share of the others with a shorter duration, 0 to 100; ties count half
  EventRef longestEvent;
  // Number of events by duration, in kBuckets logarithmic bins from the shortest to the longest. If all
  // durations are equal, all are in the first bin.
  std::array<std::uint32_t, kBuckets> histogram{};
  std::size_t ownBucket = 0;
};

// REQUIRES: ref is valid in traces.
[[nodiscard]] NameStatistics nameStatistics(const TraceSet& traces, EventRef ref,
                                            const std::atomic<bool>& cancel);

} // namespace rankscope::ui
