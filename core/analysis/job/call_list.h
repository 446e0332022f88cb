// SPDX-License-Identifier: GPL-3.0-or-later
// All calls that a row of a table stands for, in the order in which they began on the job's clock: what one
// walks through in the timeline, and how long they took. A call belongs to the scope's window in which it
// begins, as it does in the tables, so there are as many as the table counts. Pure functions; a pass over the
// device or host events of the ranks, O(k log k) for k calls.
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
  std::vector<EventRef> calls; // by begin on the job's clock, then by rank and place
  std::size_t longest = 0;     // position of the longest, the first of equals; 0 without calls
  DurationBins durations;
};

// Where it is among the calls. Binary search. REQUIRES: both are of analysis.trace().
[[nodiscard]] std::optional<std::size_t> positionOf(const Analysis& analysis, const CallList& list,
                                                    EventRef call);

// Of calls in any order. REQUIRES: they are of analysis.trace().
[[nodiscard]] CallList callListOf(const Analysis& analysis, std::vector<EventRef> calls);

// Whether a call counts; empty: all do.
using CallFilter = std::function<bool(RankIndex rank, EventIndex call)>;

// The scope's device events of this name and class on these ranks; nothing more once it is cancelled.
[[nodiscard]] std::vector<EventRef> deviceCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                                std::string_view name, DeviceClass deviceClass,
                                                const CallFilter& filter = {},
                                                const Progress* progress = nullptr);

// The scope's operator calls of this name.
[[nodiscard]] std::vector<EventRef> operatorCalls(const Analysis& analysis, std::span<const RankIndex> ranks,
                                                  std::string_view name, const CallFilter& filter = {},
                                                  const Progress* progress = nullptr);

} // namespace rankscope
