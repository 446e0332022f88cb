// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility tree of the timeline's painted parts: the headers have a child for each visible header, which
// can be collapsed by its action; the lanes have the selected slice as a child. Qt queries them once they are
// installed; a child exists as long as its header. UI thread.
#pragma once

#include "core/model/trace_set.h"

#include <QString>

class QAccessibleEvent;

namespace rankscope::ui {

class TimelineCanvas;
class TrackHeaders;
class TraceSession;
struct Section;

// The function that receives notifications: Qt's, which drops them without a screen reader, or a test's.
// Null: Qt's again.
using NotifyFunction = void (*)(QAccessibleEvent* event);
void setNotifyFunction(NotifyFunction tell);

// Once per program; further calls do nothing.
void installTimelineInterfaces();

// Notifications of changed or collapsed headers, of the focused header, and of the selected slice.
void notifyHeadersChanged(TrackHeaders& headers);
void notifyHeaderFocused(TrackHeaders& headers);
void notifySliceSelected(TimelineCanvas& canvas);

// "Rank 3, node1, NVIDIA H100, straggler: the others wait 2.1 ms a step for it"; for a track, its label.
[[nodiscard]] QString headerInWords(const TrackHeaders& headers, const Section& section);
// Name, kind, duration, begin, rank and track.
[[nodiscard]] QString sliceInWords(const TraceSet& traces, EventRef event);

} // namespace rankscope::ui
