// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of a rank in its header: a line of text if the rank is expanded, else a summary of its streams,
// computation above and communication below. Painting is O(width).
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& openRankLanes();
[[nodiscard]] const LaneKind& foldedRankLanes();

// Parts of a collapsed rank's lane.
struct RankLaneParts {
  int upper = 0; // top of the upper part, from the lane's top
  int lower = 0;
  int height = 0; // of each part
};
[[nodiscard]] RankLaneParts rankLaneParts(int laneHeight);
// Height of an expanded rank's header, and of a collapsed rank if there are few.
[[nodiscard]] int rankHeaderHeight();

} // namespace rankscope::ui
