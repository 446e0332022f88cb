// SPDX-License-Identifier: GPL-3.0-or-later
// The heavy part of building a rank: from the slices of a file, in the order of the file, to columns in the
// order of tracks and rows. Three passes, each on all threads: events are gathered by track, each track is
// sorted and laid out in rows, and every event goes to its place in the columns. What a pass has read is
// given back to the system while it runs, so that events never stand in memory twice. Internal to
// TraceBuilder.
#pragma once

#include "core/model/file_events.h"
#include "core/model/rank_trace.h"

#include <vector>

namespace rankscope {

// Fills the ranges of trace.tracks, and trace.rows, events, memory, deviceBegin, deviceEnd and deviceDetails
// without their links. trackMaps: per table and local track, the position in trace.tracks, which are in their
// order already. Takes the events, device and memory records out of file.slices. Throws std::bad_alloc.
void layOutEvents(FileEvents& file, const NameMaps& nameMaps,
                  const std::vector<std::vector<std::uint32_t>>& trackMaps, unsigned threadCount,
                  RankTrace& trace);

} // namespace rankscope
