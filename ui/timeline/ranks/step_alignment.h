// SPDX-License-Identifier: GPL-3.0-or-later
// Steps on the timeline: navigation between them, and aligning all ranks at the begin of a step. Pure
// functions of the summaries.
#pragma once

#include "ui/timeline/ranks/rank_summaries.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::ui {

// Shifts by RankIndex that make the step of this number begin at the same time on all ranks, namely that of
// the first rank that has it; 0 for ranks without the step or without a summary.
[[nodiscard]] std::vector<TimeNs> shiftsToStep(const TraceSet& traces, const RankSummaries& summaries,
                                               std::int64_t step);

// The step of a rank around t, or the first after it. Null without steps.
[[nodiscard]] const StepWindow* stepNear(const StepWindows& steps, TimeNs t);
// The next (1) or previous (-1) step, relative to the step in the middle of the window, or to the first or
// last of several steps that the window shows completely; the outermost at the ends. Null without steps.
[[nodiscard]] const StepWindow* stepBeside(const StepWindows& steps, TimeRange window, int direction);

} // namespace rankscope::ui
