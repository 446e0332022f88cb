// SPDX-License-Identifier: GPL-3.0-or-later
// What is known about the open job, for a lane's texts and hit tests. Made per query; refers to data of the
// session.
#pragma once

#include "ui/base/highlight_choice.h"
#include "ui/job/job_highlights.h"
#include "ui/job/time_folds.h"
#include "ui/timeline/ranks/rank_summaries.h"

namespace rankscope::ui {

class TraceSession;

struct LaneFacts {
  const TraceSet& traces;
  const RankSummaries& summaries;
  const JobHighlights* highlights = nullptr; // null until computed
  HighlightOptions shown = {};
  const TimeFolds* folds = nullptr; // null: none

  [[nodiscard]] const RankTrace& trace(RankIndex rank) const { return *traces.rank(rank).trace; }
  // Null if no rank waits for this rank, or if stragglers are hidden.
  [[nodiscard]] const StragglerNote* stragglerOf(RankIndex rank) const {
    return highlights && shown.stragglers ? highlights->straggler(rank) : nullptr;
  }
  // Null for a rank whose file is whole, and until that is known.
  [[nodiscard]] const CutRank* truncated(RankIndex rank) const {
    return highlights ? highlights->truncated(rank) : nullptr;
  }
};

// REQUIRES: a job is open.
[[nodiscard]] LaneFacts laneFacts(const TraceSession& session, const RankSummaries& summaries);

} // namespace rankscope::ui
