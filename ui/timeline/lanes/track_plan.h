// SPDX-License-Identifier: GPL-3.0-or-later
// Which tracks of a rank the timeline shows, in which order, under which names: a pass over the rank's
// tracks, done once when the rank is first unfolded. Pure function.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

// Top to bottom.
enum class TrackGroup : std::uint8_t {
  AboveCounters, // what the counters belong to: main thread, busy threads, streams
  BelowCounters, // Python stacks and threads that mostly wait
  More,          // what few people ask for
};

struct PlannedTrack {
  TrackIndex track;
  TrackGroup group = TrackGroup::AboveCounters;
  bool stepsOnTop =
      false; // its first row holds nothing but ProfilerSteps, which the ruler's band shows already
  QString label;
};

// In order of display; tracks without events are left out.
[[nodiscard]] std::vector<PlannedTrack> planTracks(const RankTrace& trace, const StringTable& names);

} // namespace rankscope::ui
