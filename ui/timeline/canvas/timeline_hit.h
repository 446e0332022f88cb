// SPDX-License-Identifier: GPL-3.0-or-later
// Hit test of the timeline: an event, the longest event of a collapsed column, an idle gap, or nothing, with
// the same arithmetic as drawing. Binary searches only; no widget.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QString>

namespace rankscope::ui {

// contentY: logical pixels from the top of the content; column: device pixel of the scale of the lane's rank.
[[nodiscard]] LaneHit hitAt(const LaneFacts& facts, const TrackLayout& layout, const PixelScale& scale,
                            std::int32_t column, int contentY);

// The tooltip of a hit: name in the first line, then duration, begin, kind, track and so on. Empty without a
// tooltip.
[[nodiscard]] QString describe(const LaneFacts& facts, const LaneHit& hit, const PixelScale& scale,
                               std::int32_t column);

} // namespace rankscope::ui
