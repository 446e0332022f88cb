// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done in the timeline by key, menu and palette: moving, selecting, folding and arranging tracks.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session outlive the registry's use of them.
void addTimelineActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
