// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of the training loop on the timeline: going from one to the next, and laying all ranks over each
// other at the begin of one. Pure functions of what the summaries know.
#pragma once

#include "ui/timeline/ranks/rank_summaries.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::ui {

// What is added to each rank's times so that its step of this number begins where the first such rank has it;
// 0 for ranks without the step, and for those that are not ready. By RankIndex.
[[nodiscard]] std::vector<TimeNs> shiftsToStep(const TraceSet& traces, const RankSummaries& summaries,
                                               std::int64_t step);

// The step of a rank around t, or the first after it. Null without steps.
[[nodiscard]] const StepWindow* stepNear(const StepWindows& steps, TimeNs t);
// The next (1) or previous (-1) of the step that the window shows the middle of; at the ends the outermost.
// Of a window that shows several steps whole it is the first (1) or the last (-1) of those. Null without
// steps.
[[nodiscard]] const StepWindow* stepBeside(const StepWindows& steps, TimeRange window, int direction);

} // namespace rankscope::ui
