// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done to tracks, ranks, steps and colors by key, menu and palette.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session outlive the registry's use of them.
void addTrackActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
