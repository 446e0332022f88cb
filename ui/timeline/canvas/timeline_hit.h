// SPDX-License-Identifier: GPL-3.0-or-later
// What lies under a pixel of the timeline's lanes, by the same arithmetic that drew it: an event, the longest
// of a folded column, an idle gap, or nothing. Binary searches only; no widget.
#pragma once

#include "core/query/row_spans.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

#include <optional>

namespace rankscope::ui {

class JobHighlights;

struct TimelineHit {
  const Lane* lane = nullptr; // null between lanes
  EventRef event;             // invalid where none is drawn
  std::uint32_t count = 0;    // of the events folded into this pixel, 1 when it shows just this one
  std::optional<TimeRange>
      idle; // the device's idle gap, where the row of an idle stream or a folded rank shows it
};

// contentY: logical pixels from the top of the content; column: device pixel of the scale.
[[nodiscard]] TimelineHit hitAt(const TraceSet& trace, const TrackLayout& layout,
                                const RankSummaries& summaries, const PixelScale& scale, std::int32_t column,
                                int contentY);

// The stream on whose first row a rank's idle time is drawn: the one that computes most. Invalid without one.
[[nodiscard]] TrackIndex mainStreamOf(const RankTrace& trace);

// Name, duration, start, kind, track, and what else a tooltip says of a hit. The first line is the name.
// highlights: may be null; a gap's cause is known from it. Empty when there is nothing to say.
[[nodiscard]] QString describe(const TraceSet& trace, const RankSummaries& summaries, const TimelineHit& hit,
                               TimeRange window, const JobHighlights* highlights = nullptr);

} // namespace rankscope::ui
