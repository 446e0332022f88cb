// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ranks/step_alignment.h"

#include <algorithm>

namespace rankscope::ui {

std::vector<TimeNs> shiftsToStep(const TraceSet& traces, const RankSummaries& summaries, std::int64_t step) {
  std::vector<TimeNs> shifts(traces.ranks().size(), 0);
  std::optional<TimeNs> reference;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const StepWindows* const steps = summaries.stepWindowsOf(RankIndex(i));
    if (!steps || !steps->areSteps()) continue;
    const auto found = std::ranges::find(steps->steps, step, &StepWindow::number);
    if (found == steps->steps.end()) continue;
    const TimeNs begin = found->host.empty() ? found->range.begin : found->host.begin;
    if (!reference) reference = begin;
    shifts[i] = *reference - begin;
  }
  return shifts;
}

const StepWindow* stepNear(const StepWindows& steps, TimeNs t) {
  if (!steps.areSteps()) return nullptr;
  const auto after =
      std::ranges::upper_bound(steps.steps, t, {}, [](const StepWindow& step) { return step.range.end - 1; });
  return after == steps.steps.end() ? &steps.steps.back() : &*after;
}

const StepWindow* stepBeside(const StepWindows& steps, TimeRange window, int direction) {
  const StepWindow* const here = stepNear(steps, window.begin + window.length() / 2);
  if (!here) return nullptr;
  const auto last = static_cast<std::ptrdiff_t>(steps.steps.size()) - 1;
  const auto whole = [&](const StepWindow& step) {
    return window.begin <= step.range.begin && step.range.end <= window.end;
  };
  if (std::ranges::count_if(steps.steps, whole) > 1) {
    const auto first = std::ranges::find_if(steps.steps, whole);
    if (direction > 0) return &*first;
    return &*std::ranges::find_if(steps.steps.rbegin(), steps.steps.rend(), whole);
  }
  const auto at = here - steps.steps.data();
  return &steps.steps[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + direction, 0, last))];
}

} // namespace rankscope::ui
