// SPDX-License-Identifier: GPL-3.0-or-later
// Main part of building a RankTrace: moves events from slices in file order to columns in (track, row, begin)
// order. Three parallel passes: gather events by track; sort each track and assign rows; copy events to their
// position. Each pass frees its input while it runs, so that events are never in memory twice. Internal to
// TraceBuilder.
#pragma once

#include "core/model/file_events.h"
#include "core/model/rank_trace.h"

#include <vector>

namespace rankscope {

// Fills the event ranges of trace.tracks, trace.rows, events, memory, deviceBegin, deviceEnd, and
// deviceDetails without links. trackMaps: maps table and local track to the index in trace.tracks, which is
// already sorted. Consumes events, device and memory records of file.slices. Throws std::bad_alloc.
void layOutEvents(FileEvents& file, const NameMaps& nameMaps,
                  const std::vector<std::vector<std::uint32_t>>& trackMaps, unsigned threadCount,
                  RankTrace& trace);

} // namespace rankscope
