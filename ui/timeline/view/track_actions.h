// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done to tracks, ranks, steps and colours by key, menu and palette.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineView;
class TraceSession;

// The view and the session outlive the registry's use of them.
void addTrackActions(ActionRegistry& actions, TimelineView& view, TraceSession& session);

} // namespace rankscope::ui
