// SPDX-License-Identifier: GPL-3.0-or-later
// The same recording at other times: moved as a whole, or put on the job's clock. Events keep their indices
// and their order. Copies what holds times and shares the rest; O(events).
#pragma once

#include "core/model/clock_alignment.h"
#include "core/model/trace_set.h"

#include <memory>

namespace rankscope {

// All times moved by shift, the base time too.
[[nodiscard]] std::shared_ptr<const RankTrace> movedInTime(const RankTrace& trace, TimeNs shift);

// The job with every event at its time on the job's clock, for drawing all ranks on one axis: the same ranks
// and events by the same indices. Bare times of it are JobTimes. Ranks whose clock is the job's are shared;
// the very same TraceSet when all are. Durations follow the drift, so figures are taken from the recording
// itself. O(events of corrected ranks).
[[nodiscard]] std::shared_ptr<const TraceSet> onJobClock(const std::shared_ptr<const TraceSet>& trace,
                                                         const ClockAlignment& clocks);

} // namespace rankscope
