// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of the timeline: moving, selecting, collapsing and arranging tracks.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session must outlive the registry.
void addTimelineActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
