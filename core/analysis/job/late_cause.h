// SPDX-License-Identifier: GPL-3.0-or-later
// Why a straggler is slow: the part of its steps that takes longer than on the median other rank, and the
// operator or kernel in that part with the largest excess over a typical rank. Waiting in collectives only
// prolongs the other ranks, so an excess of the straggler is its own. For the whole job, independent of
// scope. Pure; a pass over the events of two ranks.
#pragma once

#include "core/analysis/job/late_parts.h"
#include "core/analysis/job/stragglers.h"

namespace rankscope {

class Analysis;

struct LateCause {
  LatePart part = LatePart::Unknown;
  TimeNs excess = 0;     // of the part, per slow step, compared with the median other rank
  NameId name;           // of the operator or kernel; invalid if none dominates
  TimeNs nameExcess = 0; // per slow step
  bool onDevice = false; // whether the name is of a kernel
  RankIndex reference;   // rank that the name was compared with
};

[[nodiscard]] LateCause lateCauseOf(const Analysis& analysis, const Straggler& straggler);

} // namespace rankscope
