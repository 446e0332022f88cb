// SPDX-License-Identifier: GPL-3.0-or-later
// What part of the job's time each recording covers, a lane per rank: where recordings begin late, end early
// or have gaps between captures. Pure; O(n log n) in recordings.
#pragma once

#include "core/analysis/job/analysis.h"
#include "ui/charts/lane_chart.h"

#include <vector>

namespace rankscope::ui {

struct RecordedTime {
  LaneContents contents;
  std::vector<RankIndex> recordingOfBox;
  std::size_t ranks = 0; // of the job; those with truncated files and the first ones are shown
  bool missing = false;  // of any
};

[[nodiscard]] RecordedTime recordedTime(const Analysis& analysis);

} // namespace rankscope::ui
