// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_window.h"

#include <algorithm>
#include <iterator>

namespace rankscope {

std::string_view stepSourceText(StepSource source) {
  switch (source) {
  case StepSource::Marked:
    return "marked";
  case StepSource::Annotation:
    return "annotation";
  case StepSource::Collectives:
    return "collectives";
  case StepSource::Whole:
    return "whole";
  }
  return {};
}

TimeRange StepWindows::hull() const {
  return steps.empty() ? TimeRange{} : TimeRange{steps.front().range.begin, steps.back().range.end};
}

std::optional<std::size_t> StepWindows::indexAt(TimeNs t) const {
  const auto after = std::upper_bound(steps.begin(), steps.end(), t, [](TimeNs time, const StepWindow& step) {
    return time < step.range.begin;
  });
  if (after == steps.begin() || !std::prev(after)->range.contains(t)) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

} // namespace rankscope
