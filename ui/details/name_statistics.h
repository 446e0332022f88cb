// SPDX-License-Identifier: GPL-3.0-or-later
// An event among all events of the job that have its name: how many there are, how long they take, and where
// this one stands among them. A pass over the name columns, for a worker; cancel makes it give up.
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

  std::size_t count = 0;       // in the job; 0: nothing was computed
  std::size_t countOnRank = 0; // of the event's rank
  ExactSum total;
  TimeNs shortest = 0;
  TimeNs median = 0;
  TimeNs longest = 0;
  double shorterPct = 0; // share of the others that took less time, 0 to 100; ties count half
  EventRef longestEvent;
  // How many took from shortest x ratio^i on, with kBuckets equal steps of the ratio up to the longest; with
  // durations all alike everything lies in the first.
  std::array<std::uint32_t, kBuckets> histogram{};
  std::size_t ownBucket = 0;
};

// REQUIRES: ref is valid in traces.
[[nodiscard]] NameStatistics nameStatistics(const TraceSet& traces, EventRef ref,
                                            const std::atomic<bool>& cancel);

} // namespace rankscope::ui
