// SPDX-License-Identifier: GPL-3.0-or-later
// Assigns each device time to one event of a class if several run concurrently: the one that began first;
// among equal begins, the lower index. So each event owns at most one range, ranges of a class ascend without
// overlap, and their union is the union of the class: times of events add up to the busy time. All devices of
// the rank are taken together. Pure; at worst O(n log n) for n device events; O(n) if each row is a separate
// stream.
#pragma once

#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <vector>

namespace rankscope {

struct OwnedTime {
  TimeRange range; // never empty
  EventIndex event;

  bool operator==(const OwnedTime&) const = default;
};

struct OwnedTimes {
  std::vector<OwnedTime> compute;       // Kernel
  std::vector<OwnedTime> communication; // Collective
  std::vector<OwnedTime> memory;        // Copy and Set
};

[[nodiscard]] OwnedTimes ownedTimes(const RankTrace& trace);

// The same for any ranges in any order. Empty ranges and events that own nothing are omitted.
[[nodiscard]] std::vector<OwnedTime> ownedTimesOf(std::vector<OwnedTime> events);

} // namespace rankscope
