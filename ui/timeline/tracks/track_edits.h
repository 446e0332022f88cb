// SPDX-License-Identifier: GPL-3.0-or-later
// User edits of tracks, as changes of the session's choice: pin, hide, move, show again. Each is one change
// and so one undo step. UI thread.
#pragma once

#include "ui/timeline/tracks/track_layout.h"

#include <optional>
#include <vector>

class QMenu;

namespace rankscope::ui {

class TraceSession;

void togglePinned(TraceSession& session, const TrackKey& key);
void hideTrack(TraceSession& session, const TrackKey& key);
// Hides the track, and on every other rank the one of the same kind and name.
void hideOnAllRanks(TraceSession& session, RankIndex rank, TrackIndex track);
// Moves it before another one; without one, to the end.
void movePinned(TraceSession& session, const TrackKey& key, const std::optional<TrackKey>& before);
// ranks: the shown ones in their current order. From now on they are sorted by hand.
void moveRank(TraceSession& session, std::vector<TrackKey> ranks, const TrackKey& key,
              const std::optional<TrackKey>& before);
// tracks: the shown ones of the same rank in their current order.
void moveTrack(TraceSession& session, std::vector<TrackKey> tracks, const TrackKey& key,
               const std::optional<TrackKey>& before);
// Makes a track visible: unhides and expands it, and clears the filter.
void showTrack(TraceSession& session, TrackLayout& layout, const TrackKey& key);
// Opens the group that a rank is in, if it is collapsed.
void openGroupOf(TraceSession& session, const TrackLayout& layout, RankIndex rank);

// Possible edits of one track.
void fillTrackMenu(QMenu& menu, TraceSession& session, const Section& section);

} // namespace rankscope::ui
