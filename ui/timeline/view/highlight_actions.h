// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of highlights: hotspots, and the switches of the legend. Their keys take precedence over those of
// plain slices. UI thread.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session must outlive the actions.
void addHighlightActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
