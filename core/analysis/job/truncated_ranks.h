// SPDX-License-Identifier: GPL-3.0-or-later
// Which recordings of a job are truncated: their file reports it, and they lack time or events that the
// others of their profiling cycle have. What is decided about the job as a whole leaves them out. Pure;
// O(ranks).
#pragma once

#include "core/model/clock_alignment.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct CutRank {
  RankIndex rank;
  // Against the other ranks; nothing where all are cut, or there are no others.
  TimeNs missingTime = 0; // how much earlier its last event ends than theirs, on the host or on the device
  double missingTimePct = 0;
  std::int64_t missingEvents = 0; // fewer than the median of theirs
  double missingEventsPct = 0;
};

// Of these ranks, unless a hundredth of the others' time and events is not even missing.
[[nodiscard]] std::vector<CutRank> truncatedRanks(const TraceSet& trace, const ClockAlignment& clocks,
                                                  std::span<const RankIndex> ranks);

// By RankIndex: those that a decision about the whole job leaves out, as others recorded the same cycle.
[[nodiscard]] std::vector<bool> leftOutRanks(const TraceSet& trace, const ClockAlignment& clocks);

} // namespace rankscope
