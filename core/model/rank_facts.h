// SPDX-License-Identifier: GPL-3.0-or-later
// What the whole job says about the calls and the device of one rank, for who has the events of this rank but
// not the other ranks. Plain data; core/analysis/account makes and uses it.
#pragma once

#include "core/base/strong_index.h"
#include "core/base/time_range.h"

#include <vector>

namespace rankscope {

// About a call of a collective.
struct CallFacts {
  EventIndex event;
  bool matched = false; // with calls of other ranks
  // In the first matched collective of its group in a recording: its wait tells of the recordings' begins and
  // not of the job.
  bool first = false;
  bool gathers = false;
  TimeNs wait = 0; // until the last rank began
  // What it takes beyond what its bytes would take otherwise.
  TimeNs slowLink = 0;
  TimeNs fragmented = 0;
};

struct RankFacts {
  std::vector<CallFacts> calls; // by event
  double clockRatio = 1;        // of its device, see core/analysis/account/clock_ratios.h
};

} // namespace rankscope
