// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights on rows: idle gaps with their causes on the main stream, and the waiting and exposed parts of
// collectives on streams, or on threads of a rank without a device. O(width).
#pragma once

#include "ui/timeline/lanes/lane_facts.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <optional>

namespace rankscope::ui {

// Whether a row shows the rank's idle time: the first row of the main stream.
[[nodiscard]] bool showsIdle(const RankTrace& trace, const Lane& lane);
// Whether the event is a collective for as long as it lasts: on a device, or on a host that has none.
[[nodiscard]] bool communicates(const TraceSet& traces, EventRef event);
// The displayed gap at this time, if any.
[[nodiscard]] std::optional<TimeRange> idleGapAt(const LaneFacts& facts, RankIndex rank, TimeNs time);

void paintIdleGaps(LanePicture& picture, const Lane& lane);
void paintCollectiveParts(LanePicture& picture, LaneSpans& laneSpans);

// Exposed and waiting time of a collective; the least important text is last.
[[nodiscard]] QStringList collectiveFacts(const LanePicture& picture, EventRef event);

} // namespace rankscope::ui
