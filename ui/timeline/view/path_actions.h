// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of the critical path on the timeline: showing it, fading all else, walking along it.
#pragma once

namespace rankscope::ui {

class ActionRegistry;
class TraceSession;

// Before the actions of links, which have the same keys: while a segment is selected, they walk the path.
void addPathActions(ActionRegistry& actions, TraceSession& session);

} // namespace rankscope::ui
