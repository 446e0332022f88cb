// SPDX-License-Identifier: GPL-3.0-or-later
// The tracks of a selected range: from the lanes that were dragged over, and back to the lanes that show
// them. Pure functions; O(lanes).
#pragma once

#include "core/query/range_statistics.h"
#include "ui/timeline/tracks/track_layout.h"

#include <vector>

namespace rankscope::ui {

// Tracks whose lanes intersect lines [top, bottom) of the content. A collapsed rank represents all its
// tracks, and so does its header if no other lane of it is included. Ascending by rank; empty if there is no
// lane.
[[nodiscard]] std::vector<RankTracks> tracksWithin(const TraceSet& traces, const TrackLayout& layout, int top,
                                                   int bottom);

// Whether a lane shows one of these tracks, or their rank if it is collapsed. Without tracks, every lane
// does.
[[nodiscard]] bool showsAny(const TraceSet& traces, const std::vector<RankTracks>& tracks, const Lane& lane);

// The union.
[[nodiscard]] std::vector<RankTracks> unitedTracks(const std::vector<RankTracks>& a,
                                                   const std::vector<RankTracks>& b);
// The track of an event.
[[nodiscard]] std::vector<RankTracks> trackOfEvent(const TraceSet& traces, EventRef event);
[[nodiscard]] RankTracks allTracksOf(const TraceSet& traces, RankIndex rank);

} // namespace rankscope::ui
