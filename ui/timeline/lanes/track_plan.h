// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks of a rank are shown, in which order, with which names: one pass over the rank's tracks, when
// the rank is first expanded. Pure functions.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"
#include "ui/timeline/lanes/lane.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

struct PlannedTrack {
  TrackIndex track;
  LanePlace place = LanePlace::AboveCounters;
  bool stepsOnTop = false; // its first row contains only ProfilerSteps, which the ruler shows already
  QString label;
};

// The stream with the most compute, whose first row shows the rank's idle time. Invalid without streams.
[[nodiscard]] TrackIndex mainStreamOf(const RankTrace& trace);

// In display order, without empty tracks.
[[nodiscard]] std::vector<PlannedTrack> planTracks(const RankTrace& trace, const StringTable& names);

} // namespace rankscope::ui
