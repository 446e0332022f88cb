// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of ranks and tracks: "Rank 3", "main thread 41007", "stream 7 compute", "stream 20 NCCL dp". Pure
// functions.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"
#include "core/model/trace_set.h"

#include <QString>

namespace rankscope::ui {

// "Rank 3", or "Rank 3 · capture 2" where ranks have several.
[[nodiscard]] QString rankTitle(const TraceSet& traces, RankIndex rank);

// namesThread: the track is the first of its thread and has the thread's name; later tracks of the thread
// name only their content.
[[nodiscard]] QString trackLabel(const RankTrace& trace, const StringTable& names, const Track& track,
                                 bool namesThread);
// Everything known about the track, for a tooltip; several lines.
[[nodiscard]] QString trackDescription(const RankTrace& trace, const StringTable& names, const Track& track);

} // namespace rankscope::ui
