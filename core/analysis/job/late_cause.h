// SPDX-License-Identifier: GPL-3.0-or-later
// What made a straggler late: the part of its steps that takes longer than on the median other rank, and in
// it the operator or kernel with the largest excess over a typical rank. Waiting in collectives only ever
// lengthens the others, so an excess of the straggler's is its own. Of the whole job, whatever the analysis
// is asked about. Pure; a pass over the events of two ranks.
#pragma once

#include "core/analysis/job/late_parts.h"
#include "core/analysis/job/stragglers.h"

namespace rankscope {

class Analysis;

struct LateCause {
  LatePart part = LatePart::Unknown;
  TimeNs excess = 0;     // of the part, per slow step, over the median other rank
  NameId name;           // of the operator or kernel; invalid when none stands out
  TimeNs nameExcess = 0; // per slow step
  bool onDevice = false; // the name is a kernel's
  RankIndex reference;   // the rank that the name was compared with
};

[[nodiscard]] LateCause lateCauseOf(const Analysis& analysis, const Straggler& straggler);

} // namespace rankscope
