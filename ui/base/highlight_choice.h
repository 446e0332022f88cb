// SPDX-License-Identifier: GPL-3.0-or-later
// The small facts about highlights that the session and the timeline hand around: which of them are drawn,
// and which idle gap is selected. Plain data.
#pragma once

#include "core/model/clock_times.h"
#include "core/model/trace_set.h"

namespace rankscope::ui {

// What of the highlights is drawn.
struct HighlightOptions {
  bool idle = true;       // gaps of devices, with their causes
  bool exposed = true;    // communication that no computation hides
  bool waits = true;      // the part of a collective that waits for the last rank
  bool stragglers = true; // badges of ranks that keep the others waiting
  bool links = true;      // of the selection: launches, backward, the collective on other ranks

  bool operator==(const HighlightOptions&) const = default;
};

// A device's idle time on a rank.
struct GapRef {
  RankIndex rank;
  JobRange range;

  bool operator==(const GapRef&) const = default;
};

} // namespace rankscope::ui
