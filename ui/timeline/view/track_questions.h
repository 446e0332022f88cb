// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts about tracks; the answer changes the session's choice. UI thread.
#pragma once

namespace rankscope::ui {

class TimelineControl;
class TraceSession;

// Asks for a track by name, and reveals it.
void askForTrack(TimelineControl& timeline, TraceSession& session);
// Asks for a filter; while typing, only matching tracks are shown.
void askForFilter(TimelineControl& timeline, TraceSession& session);
// Asks how to group the ranks.
void askForGrouping(TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
