// SPDX-License-Identifier: GPL-3.0-or-later
// Which device event an instant belongs to where several of one class run at once: the one that began first,
// of equal begins the one with the lower index. So every event owns at most one range, the ranges of a class
// rise and do not overlap, and together they are exactly the union of the class: times of events add up to
// the time that the device was busy with them. All devices of the rank are taken together. Pure; O(n log n)
// for n device events at worst, O(n) when each row is its own stream.
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

// The same of any ranges, which need not be sorted; what is empty or owns nothing is left out.
[[nodiscard]] std::vector<OwnedTime> ownedTimesOf(std::vector<OwnedTime> events);

} // namespace rankscope
