// SPDX-License-Identifier: GPL-3.0-or-later
// All calls of a table row, in order of begin on the job's clock, for stepping through them in the timeline
// and for their durations. As in the tables, a call belongs to the window in which it begins, so the number
// of calls equals the table's count. Pure functions; a pass over the device or host events of the ranks, O(k
// log k) for k calls.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/kernels/duration_bins.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

struct CallList {
  std::vector<EventRef> calls; // sorted by begin on the job's clock, then by rank and index
  std::size_t longest = 0;     // index of the longest call, the first among equals; 0 without calls
  DurationBins durations;
};

// Index of a call. Binary search. REQUIRES: both are of analysis.trace().
[[nodiscard]] std::optional<std::size_t> positionOf(const Analysis& analysis, const CallList& list,
                                                    EventRef call);

// From calls in any order. REQUIRES: they are of analysis.trace().
[[nodiscard]] CallList callListOf(const Analysis& analysis, std::vector<EventRef> calls);

// Whether to include a call; an empty function includes all.
using CallFilter = std::function<bool(RankIndex rank, EventIndex call)>;

// Device events in scope with this name and class on these ranks. Stops early if cancelled.
[[nodiscard]] std::vector<EventRef> deviceCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                                std::string_view name, DeviceClass deviceClass,
                                                const CallFilter& filter = {},
                                                const Progress* progress = nullptr);

// Operator calls in scope with this name.
[[nodiscard]] std::vector<EventRef> operatorCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                                  std::string_view name, const CallFilter& filter = {},
                                                  const Progress* progress = nullptr);

} // namespace rankscope
