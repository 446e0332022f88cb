// SPDX-License-Identifier: GPL-3.0-or-later
// Why the last rank was late for a collective: its time since the previous collective, compared with the
// participant that arrived in the middle. Waiting only prolongs the other ranks, so an excess of the last
// rank is its own. Pure; a pass over the events of both ranks, so do not call it on the UI thread.
#pragma once

#include "core/analysis/activity/idle_gaps.h"
#include "core/analysis/collectives/collective_match.h"
#include "core/analysis/job/late_cause.h"

#include <optional>

namespace rankscope {

struct LateArrival {
  RankIndex rank;      // rank that began last
  RankIndex reference; // rank it is compared with
  TimeNs late = 0;     // begin of the last rank - begin of the reference
  RankRange before;    // time of the last rank since the previous collective of both
  LatePart part = LatePart::Unknown;
  TimeNs excess = 0; // of the part, compared with the reference
  NameId name;       // operator or kernel in the part with the largest excess; invalid if none dominates
  TimeNs nameExcess = 0;
  EventIndex event;                  // longest event of that name on the last rank; may be invalid
  std::optional<IdleGap> longestGap; // on the last rank's devices within `before`
};

// Empty if there are no partners or all began at the same time. REQUIRES: instance is of
// analysis.collectives().
[[nodiscard]] std::optional<LateArrival> lateArrivalOf(const Analysis& analysis,
                                                       const CollectiveInstance& instance);

} // namespace rankscope
