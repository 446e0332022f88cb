// SPDX-License-Identifier: GPL-3.0-or-later
// The highlights on rows of streams: idle gaps with their causes on the stream that computes most, the parts
// of collectives that wait and those that nothing hides. Cost: the width.
#pragma once

#include "ui/timeline/lanes/lane_facts.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <optional>

namespace rankscope::ui {

// Whether a row is the one on which a rank's idle time is shown: the first one of the main stream.
[[nodiscard]] bool showsIdle(const RankTrace& trace, const Lane& lane);
// The gap that is shown at this time, if any.
[[nodiscard]] std::optional<TimeRange> idleGapAt(const LaneFacts& facts, RankIndex rank, TimeNs time);

void paintIdleGaps(LanePicture& picture, const Lane& lane);
void paintCollectiveParts(LanePicture& picture, LaneSpans& laneSpans);

// How much of a collective no computation hides and how long it waits; what is to be left out first comes
// last.
[[nodiscard]] QStringList collectiveFacts(const LanePicture& picture, EventRef event);

} // namespace rankscope::ui
