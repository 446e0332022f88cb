// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/reveal_step.h"

#include "ui/job/trace_session.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

const StepWindow* stepOf(const Analysis& analysis, RankIndex rank, std::int64_t number) {
  if (!rank.valid()) return nullptr;
  const std::vector<StepWindow>& steps = analysis.stepWindows(rank).steps;
  const auto step = std::ranges::find(steps, number, &StepWindow::number);
  return step == steps.end() ? nullptr : &*step;
}

} // namespace

std::optional<JobRange> placeOfStep(const Analysis& analysis, RankIndex rank, std::int64_t number) {
  const StepWindow* const step = stepOf(analysis, rank, number);
  if (step == nullptr) return std::nullopt;
  return analysis.clocks().of(rank).toJob(RankRange::of(step->range));
}

RankIndex longestRankIn(const Analysis& analysis, std::int64_t number) {
  RankIndex longest;
  TimeNs longestLength = -1;
  for (const RankIndex rank : analysis.ranks()) {
    const StepWindow* const step = stepOf(analysis, rank, number);
    if (step == nullptr || step->range.length() <= longestLength) continue;
    longestLength = step->range.length();
    longest = rank;
  }
  return longest;
}

bool revealStep(TraceSession& session, const Analysis& analysis, RankIndex rank, std::int64_t number) {
  const StepWindow* const step = stepOf(analysis, rank, number);
  if (step == nullptr || !session.trace()) return false;
  if (step->event.valid()) session.select({rank, step->event});
  session.revealPlace(rank, analysis.clocks().of(rank).toJob(RankRange::of(step->range)));
  return true;
}

} // namespace rankscope::ui
