// SPDX-License-Identifier: GPL-3.0-or-later
// Where a call of a Flight Recorder dump is on the timeline, if the rank was recorded at that time: dumps and
// recordings have the same clock. Pure; O(collectives of the rank).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/model/flight_record.h"

#include <optional>

namespace rankscope {

struct HangPlace {
  RankIndex rank;
  EventIndex event; // the collective; invalid if it did not run while it was recorded
  JobRange range;   // when the host called it
};

// Empty without a recording of this rank that covers the call.
[[nodiscard]] std::optional<HangPlace> hangPlace(const Analysis& analysis, const FlightRecord& record,
                                                 const FlightEntry& entry);

} // namespace rankscope
