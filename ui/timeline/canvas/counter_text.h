// SPDX-License-Identifier: GPL-3.0-or-later
// What a counter says in words: its figures under the mouse, and its extreme beside it. Pure functions;
// binary searches.
#pragma once

#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

namespace rankscope::ui {

// column: the time of a pixel, on the rank's own clock. Empty for lanes that are no counters, and while
// nothing is known. The first line is the counter's name.
[[nodiscard]] QString describeCounter(const TraceSet& traces, const RankSummaries& summaries,
                                      const Lane& lane, TimeRange column);

// Short, for the right end of its lane: "peak 53.3 GB". Empty when there is nothing to say.
[[nodiscard]] QString counterNote(const TraceSet& traces, const RankSummaries& summaries,
                                  const Section& section);

} // namespace rankscope::ui
