// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of a rank as a whole, under the rank's header: of an open rank a line of words, of a folded one a
// summary of its streams, computation above and communication below. Cost of painting: the width.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& openRankLanes();
[[nodiscard]] const LaneKind& foldedRankLanes();

// Lines of a folded rank's lane.
struct RankLaneParts {
  int upper = 0; // from the lane's top
  int lower = 0;
  int height = 0; // of either
};
[[nodiscard]] RankLaneParts rankLaneParts(int laneHeight);
// Of an open rank's header, and of folded ones where there are few.
[[nodiscard]] int rankHeaderHeight();

} // namespace rankscope::ui
