// SPDX-License-Identifier: GPL-3.0-or-later
// Where ranks and events of a job are in a later state of it: more ranks have arrived, clocks have moved, or
// events of a rank that was a digest have been read. Pure.
#pragma once

#include "core/model/trace_set.h"

namespace rankscope::ui {

// Whether they are states of one job.
[[nodiscard]] bool sharesARecording(const TraceSet& a, const TraceSet& b);
// Invalid if the rank is not there. O(ranks).
[[nodiscard]] RankIndex rankInLater(const TraceSet& older, RankIndex rank, const TraceSet& later);
// Of a rank whose events have been read, the event of the same time, kind and name. Invalid if there is none.
// O(ranks + rows · log events).
[[nodiscard]] EventRef eventInLater(const TraceSet& older, EventRef event, const TraceSet& later);

} // namespace rankscope::ui
