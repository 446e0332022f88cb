// SPDX-License-Identifier: GPL-3.0-or-later
// The training steps of a rank as ranges of time that never overlap: what the profiler marked on the host,
// extended by the device work that was launched there. A kernel counts to the step in which it runs: a step
// begins when its host part does or when the device work of the step before ends, and ends with its own
// device work. Without marks the steps are looked for, and `found` records how. In order of time; constant.
// Cost: a pass over the device events, and over the outermost annotations where nothing was marked.
#pragma once

#include "core/analysis/steps/step_window.h"
#include "core/model/string_table.h"

#include <span>

namespace rankscope {

struct StepRules {
  // Leave out the steps after the last with device work, and that one too when it has less than 0.8 times the
  // device events of the one before: the TensorBoard plugin does, the figures of this program do not.
  bool dropTail = false;
};

// marked: stepsOf(trace). The steps whose range begins in the window.
[[nodiscard]] StepWindows stepWindows(const RankTrace& trace, const StringTable& names,
                                      std::span<const Step> marked, TimeRange window = kAllTime,
                                      StepRules rules = {});

// The same steps without those whose range begins outside the window.
[[nodiscard]] StepWindows stepsWithin(const StepWindows& steps, TimeRange window);

} // namespace rankscope
