// SPDX-License-Identifier: GPL-3.0-or-later
// Steps where the profiler marked none: from what repeats. Pure functions of one recording; what they return
// is in order of time, numbered from 0, not yet extended by device work, and empty when nothing repeats.
#pragma once

#include "core/analysis/steps/step_window.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// From an outermost annotation that fills most of the time between its first and its last call ("train_step",
// "iteration 12": digits do not make names different); else from one optimizer annotation to the next, else
// from one forward annotation to the next.
[[nodiscard]] std::vector<StepWindow> stepsOfAnnotations(const RankTrace& trace, const StringTable& names);

// From the begin of a collective to that of the one a period later, where the sequence of collectives
// (operation, type, sizes) of the busiest group repeats. The period begins after its longest pause.
[[nodiscard]] std::vector<StepWindow> stepsOfCollectives(const RankTrace& trace);

// The shortest distance at which a sequence repeats itself to its end, when it does so at least twice; up to
// a tenth of it at the beginning may be different. 0 when there is none, 1 for a sequence of equals. O(n).
[[nodiscard]] std::size_t periodOf(std::span<const std::uint64_t> sequence);

} // namespace rankscope
