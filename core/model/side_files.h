// SPDX-License-Identifier: GPL-3.0-or-later
// Files that lie beside traces and answer what a trace cannot: memory snapshots, memory timelines, Flight
// Recorder dumps. Immutable once read.
#pragma once

#include "core/model/flight_record.h"
#include "core/model/memory_snapshot.h"
#include "core/model/memory_timeline.h"

#include <vector>

namespace rankscope {

struct SideFiles {
  std::vector<MemorySnapshot> snapshots;   // by path in natural order
  std::vector<MemoryTimeline> timelines;   // by path in natural order
  std::vector<FlightRecord> flightRecords; // of one job, by rank; each rank once

  [[nodiscard]] bool empty() const { return snapshots.empty() && timelines.empty() && flightRecords.empty(); }
};

} // namespace rankscope
