// SPDX-License-Identifier: GPL-3.0-or-later
// Where a finding is shown: the place in the timeline, or the tab with its table or curve. UI thread.
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"

#include <QString>

namespace rankscope::ui {

class TraceSession;

struct FindingTarget {
  QString tab = {};   // its id; empty: the timeline
  QString words = {}; // filter of the table; empty: all rows
};

[[nodiscard]] FindingTarget targetOf(const Finding& finding);

// The range of the timeline that shows the finding: its place, or the surrounding step if the place is an
// instant. Empty without a place.
[[nodiscard]] JobRange placeToShow(const Analysis& analysis, const Finding& finding);

// The idle gap that has the middle of a place; the place itself without one. The account cuts gaps at the
// borders of steps; the whole one is selected.
[[nodiscard]] JobRange gapAround(const Analysis& analysis, RankIndex rank, JobRange place);

// Shows the finding's place in the timeline and selects its event or idle gap.
void revealFinding(TraceSession& session, const Analysis& analysis, const Finding& finding);

} // namespace rankscope::ui
