// SPDX-License-Identifier: GPL-3.0-or-later
// Which highlights are drawn, and which idle gap is selected. Plain data.
#pragma once

#include "core/model/clock_times.h"
#include "core/model/trace_set.h"

namespace rankscope::ui {

// Visible highlights.
struct HighlightOptions {
  bool idle = true;       // device idle gaps with their causes
  bool exposed = true;    // communication not overlapped by compute
  bool waits = true;      // the part of a collective spent waiting for the last rank
  bool stragglers = true; // straggler badges
  bool links = true;      // links of the selection: launches, backward, the collective on other ranks

  bool operator==(const HighlightOptions&) const = default;
};

// A device's idle time on a rank.
struct GapRef {
  RankIndex rank;
  JobRange range;

  bool operator==(const GapRef&) const = default;
};

} // namespace rankscope::ui
