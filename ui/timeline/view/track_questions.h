// SPDX-License-Identifier: GPL-3.0-or-later
// What a person is asked about tracks, in the line that comes up over the window; the answer becomes part of
// the session's choice. UI thread.
#pragma once

namespace rankscope::ui {

class TimelineControl;
class TraceSession;

// Asks for a track by its name, and reveals it.
void askForTrack(TimelineControl& timeline, TraceSession& session);
// Asks for words; while they are typed only tracks that have them are shown.
void askForFilter(TimelineControl& timeline, TraceSession& session);
// Asks how the ranks are to be grouped.
void askForGrouping(TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
