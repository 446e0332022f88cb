// SPDX-License-Identifier: GPL-3.0-or-later
// What lies under a pixel of the timeline's lanes, by the same arithmetic that drew it: an event, the longest
// of a folded column, an idle gap, or nothing. Binary searches only; no widget.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

namespace rankscope::ui {

// contentY: logical pixels from the top of the content; column: device pixel of the scale, which is that of
// the lane's rank.
[[nodiscard]] LaneHit hitAt(const LaneFacts& facts, const TrackLayout& layout, const PixelScale& scale,
                            std::int32_t column, int contentY);

// Name, duration, start, kind, track, and the rest of the tooltip of a hit. The first line is the name.
// Empty when there is no tooltip.
[[nodiscard]] QString describe(const LaneFacts& facts, const LaneHit& hit, const PixelScale& scale,
                               std::int32_t column);

} // namespace rankscope::ui
