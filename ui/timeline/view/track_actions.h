// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on tracks, ranks, steps and colors.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TimelineControl;
class TraceSession;

// The timeline and the session must outlive the registry.
void addTrackActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session);

} // namespace rankscope::ui
