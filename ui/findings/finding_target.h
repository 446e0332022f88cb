// SPDX-License-Identifier: GPL-3.0-or-later
// Where a finding is seen: the place in the timeline, and the tab whose table or curve proves it where that
// is no event. UI thread.
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"

#include <QString>

namespace rankscope::ui {

class TraceSession;

struct FindingTarget {
  QString tab = {};   // its id; empty: wherever the place is seen
  QString words = {}; // that the table is to be filtered by; empty: all of it
};

[[nodiscard]] FindingTarget targetOf(const Finding& finding);

// What of the timeline shows the finding: its place, or the step around it where the place is an instant.
// Empty without a place.
[[nodiscard]] JobRange placeToShow(const Analysis& analysis, const Finding& finding);

// Takes the timeline to what a finding is about, and selects what proves it: the event, or the idle time.
void revealFinding(TraceSession& session, const Analysis& analysis, const Finding& finding);

} // namespace rankscope::ui
