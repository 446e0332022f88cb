// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks of a rank the timeline shows, in which order, under which names: a pass over the rank's
// tracks, done once when the rank is first unfolded. Pure functions.
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
  bool stepsOnTop =
      false; // its first row holds nothing but ProfilerSteps, which the ruler's band shows already
  QString label;
};

// The stream on whose first row a rank's idle time is drawn: the one that computes most. Invalid without one.
[[nodiscard]] TrackIndex mainStreamOf(const RankTrace& trace);

// In order of display; tracks without events are left out.
[[nodiscard]] std::vector<PlannedTrack> planTracks(const RankTrace& trace, const StringTable& names);

} // namespace rankscope::ui
