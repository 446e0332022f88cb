// SPDX-License-Identifier: GPL-3.0-or-later
// Why the last rank came late to one collective: what it did since the collective before, compared with the
// participant that came in the middle. Waiting only ever lengthens the others, so what the last rank spent
// more is its own. Pure; costs a pass over the events of both ranks, so off the UI's thread.
#pragma once

#include "core/analysis/activity/idle_gaps.h"
#include "core/analysis/collectives/collective_match.h"
#include "core/analysis/job/late_cause.h"

#include <optional>

namespace rankscope {

struct LateArrival {
  RankIndex rank;      // the one that began last
  RankIndex reference; // that it is compared with
  TimeNs late = 0;     // begin of the one after that of the other
  RankRange before;    // from the collective before, of both, to this one: of the last rank
  LatePart part = LatePart::Unknown;
  TimeNs excess = 0; // of the part over the reference
  NameId name;       // of the operator or kernel in it with the largest excess; invalid when none stands out
  TimeNs nameExcess = 0;
  EventIndex event;                  // of the last rank: the longest of that name; may be invalid
  std::optional<IdleGap> longestGap; // of the last rank's devices within `before`
};

// Nothing for a collective without partners, or when all came at the same time. REQUIRES: instance is of
// analysis.collectives().
[[nodiscard]] std::optional<LateArrival> lateArrivalOf(const Analysis& analysis,
                                                       const CollectiveInstance& instance);

} // namespace rankscope
