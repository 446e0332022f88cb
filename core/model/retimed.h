// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of a recording with other times: shifted by a constant, or converted to the job's clock. Events keep
// their indices and order. Only columns with times are copied, the rest is shared. O(events).
#pragma once

#include "core/model/clock_alignment.h"
#include "core/model/trace_set.h"

#include <memory>

namespace rankscope {

// All times, including the base time, shifted by `shift`.
[[nodiscard]] std::shared_ptr<const RankTrace> movedInTime(const RankTrace& trace, TimeNs shift);

// The job with all events on the job's clock, for drawing all ranks on one axis. Ranks and events keep their
// indices; bare times are JobTimes. Ranks that need no correction are shared; returns the same TraceSet if no
// rank does. Durations are scaled by the drift, so compute values from the original recording. O(events of
// corrected ranks).
[[nodiscard]] std::shared_ptr<const TraceSet> onJobClock(const std::shared_ptr<const TraceSet>& trace,
                                                         const ClockAlignment& clocks);

} // namespace rankscope
