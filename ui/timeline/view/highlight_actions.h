// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with highlights, for the table of actions: the walk through the costliest places, and the
// switches of the legend. Their keys come before those of plain slices. UI thread.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session outlive the actions' use.
void addHighlightActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
