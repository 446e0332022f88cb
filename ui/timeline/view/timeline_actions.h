// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done in the timeline by key, menu and palette: moving, selecting, folding and arranging tracks.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineView;
class TraceSession;

// The view and the session outlive the registry's use of them.
void addTimelineActions(ActionRegistry& actions, TimelineView& view, TraceSession& session);

} // namespace rankscope::ui
