// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does to tracks, as changes of the session's choice: pin, hide, move, bring back. Each is one
// change, so each is one undo step. UI thread.
#pragma once

#include "ui/timeline/tracks/track_layout.h"

#include <optional>
#include <vector>

class QMenu;

namespace rankscope::ui {

class TraceSession;

void togglePinned(TraceSession& session, const TrackKey& key);
void hideTrack(TraceSession& session, const TrackKey& key);
// Puts it before another one; without one last.
void movePinned(TraceSession& session, const TrackKey& key, const std::optional<TrackKey>& before);
// ranks: those that are shown, in their present order. From now on they are sorted by hand.
void moveRank(TraceSession& session, std::vector<TrackKey> ranks, const TrackKey& key,
              const std::optional<TrackKey>& before);
// tracks: those of the same rank that are shown, in their present order.
void moveTrack(TraceSession& session, std::vector<TrackKey> tracks, const TrackKey& key,
               const std::optional<TrackKey>& before);
// Whatever keeps it from being seen is taken back: hidden, filtered, folded away.
void showTrack(TraceSession& session, TrackLayout& layout, const TrackKey& key);

// What can be done to one track.
void fillTrackMenu(QMenu& menu, TraceSession& session, const Section& section);

} // namespace rankscope::ui
