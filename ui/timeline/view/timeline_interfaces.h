// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's painted parts as a tree for those who do not see them: of the headers a child for each that
// is in sight, named as it is read, foldable by its action; of the lanes the selected slice. Qt asks for them
// by itself once they are installed, and a child stays the same one as long as its header does. UI thread.
#pragma once

#include "core/model/trace_set.h"

#include <QString>

class QAccessibleEvent;

namespace rankscope::ui {

class TimelineCanvas;
class TrackHeaders;
class TraceSession;
struct Section;

// Who passes on what is told: Qt, which drops it while no screen reader listens, or what a test puts in its
// place. Null: Qt again.
using NotifyFunction = void (*)(QAccessibleEvent* event);
void setNotifyFunction(NotifyFunction tell);

// Once for the whole program; again is no harm.
void installTimelineInterfaces();

// Tells that other headers are in sight or folded, that the keyboard came to another one, or that another
// slice was selected.
void notifyHeadersChanged(TrackHeaders& headers);
void notifyHeaderFocused(TrackHeaders& headers);
void notifySliceSelected(TimelineCanvas& canvas);

// "Rank 3, node1, NVIDIA H100, straggler: the others wait 2.1 ms a step for it"; of a track its label.
[[nodiscard]] QString headerInWords(const TrackHeaders& headers, const Section& section);
// Name, kind, duration, begin, rank and track.
[[nodiscard]] QString sliceInWords(const TraceSet& traces, EventRef event);

} // namespace rankscope::ui
