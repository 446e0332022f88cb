// SPDX-License-Identifier: GPL-3.0-or-later
// Training steps of a rank as time ranges without overlap: host steps marked by the profiler, extended by the
// device work launched in them. A kernel belongs to the step in which it runs: a step begins with its host
// part, or when the device work of the previous step ends, and ends with its own device work. Without marks,
// steps are detected; `found` says how. In time order; immutable. Cost: a pass over device events, and over
// the outermost annotations if there are no marks.
#pragma once

#include "core/analysis/steps/step_window.h"
#include "core/model/string_table.h"

#include <span>

namespace rankscope {

struct StepRules {
  // Drop the steps after the last one with device work, and that one too if it has less than 0.8 times the
  // device events of its predecessor. For comparison with the TensorBoard plugin, which does this.
  bool dropTail = false;
};

// marked: stepsOf(trace). Returns steps whose range begins in the window.
[[nodiscard]] StepWindows stepWindows(const RankTrace& trace, const StringTable& names,
                                      std::span<const Step> marked, TimeRange window = kAllTime,
                                      StepRules rules = {});

// The steps whose range begins in the window.
[[nodiscard]] StepWindows stepsWithin(const StepWindows& steps, TimeRange window);

} // namespace rankscope
