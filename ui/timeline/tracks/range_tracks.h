// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks a range is about: from the lanes that were dragged over, and back to the lanes that show it.
// Pure functions; O(lanes dragged over).
#pragma once

#include "core/query/range_statistics.h"
#include "ui/timeline/tracks/track_layout.h"

#include <vector>

namespace rankscope::ui {

// Tracks whose lanes reach into lines [top, bottom) of the content; a folded rank stands for all its tracks,
// and so does its header when nothing else of it is reached. By rank, ascending; empty where no lane is.
[[nodiscard]] std::vector<RankTracks> tracksWithin(const TraceSet& traces, const TrackLayout& layout, int top,
                                                   int bottom);

// Whether a lane shows a track of these, or its rank when that is folded. Without any tracks every lane does.
[[nodiscard]] bool showsAny(const TraceSet& traces, const std::vector<RankTracks>& tracks, const Lane& lane);

// Those of either.
[[nodiscard]] std::vector<RankTracks> unitedTracks(const std::vector<RankTracks>& a,
                                                   const std::vector<RankTracks>& b);
// The one track that holds an event.
[[nodiscard]] std::vector<RankTracks> trackOfEvent(const TraceSet& traces, EventRef event);
[[nodiscard]] RankTracks allTracksOf(const TraceSet& traces, RankIndex rank);

} // namespace rankscope::ui
