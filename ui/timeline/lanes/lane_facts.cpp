// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/lane_facts.h"

#include "ui/job/trace_session.h"

namespace rankscope::ui {

LaneFacts laneFacts(const TraceSession& session, const RankSummaries& summaries) {
  return {*session.trace(), summaries, session.highlights().get(), session.highlightOptions(),
          &session.folds()};
}

} // namespace rankscope::ui
