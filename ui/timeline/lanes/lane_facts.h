// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of the open job while a lane is asked for texts or hits. Made
// for one question; it refers to what the session owns.
#pragma once

#include "ui/base/highlight_choice.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/ranks/rank_summaries.h"

namespace rankscope::ui {

class TraceSession;

struct LaneFacts {
  const TraceSet& traces;
  const RankSummaries& summaries;
  const JobHighlights* highlights = nullptr; // null until they are worked out
  HighlightOptions shown = {};

  [[nodiscard]] const RankTrace& trace(RankIndex rank) const { return *traces.rank(rank).trace; }
  // Null where no rank waits for the rank, or where that is hidden.
  [[nodiscard]] const StragglerNote* stragglerOf(RankIndex rank) const {
    return highlights && shown.stragglers ? highlights->straggler(rank) : nullptr;
  }
};

// REQUIRES: a job is open.
[[nodiscard]] LaneFacts laneFacts(const TraceSession& session, const RankSummaries& summaries);

} // namespace rankscope::ui
