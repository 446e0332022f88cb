// SPDX-License-Identifier: GPL-3.0-or-later
// Finds steps by repetition if the profiler marked none. Pure functions of one recording. Steps are in time
// order, numbered from 0, not yet extended by device work; empty if nothing repeats.
#pragma once

#include "core/analysis/steps/step_window.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// From an outermost annotation that fills most of the time from its first to its last call ("train_step",
// "iteration 12"; names that differ in digits have to name a step, others must launch half of the device's
// work, and ranges that torch itself opens are none); else from one optimizer annotation to the next; else
// from one forward annotation to the next.
[[nodiscard]] std::vector<StepWindow> stepsOfAnnotations(const RankTrace& trace, const StringTable& names);

// Whether what is launched during these ranges is at least half of the device's work. A decoder layer repeats
// like a step and fills its time, but holds a part of the work. Work whose launch is not recorded says
// nothing. ranges: sorted, without overlap.
[[nodiscard]] bool launchHalfOfTheWork(const RankTrace& trace, std::span<const TimeRange> ranges);

// From the repeated sequence of collectives (operation, type, sizes) of the busiest group: from a collective
// to the one a period later. The period starts after its longest pause.
[[nodiscard]] std::vector<StepWindow> stepsOfCollectives(const RankTrace& trace);

// The smallest period with which a sequence repeats to its end, at least twice; up to a tenth at its
// beginning may differ. 0 if there is none, 1 if all elements are equal. O(n).
[[nodiscard]] std::size_t periodOf(std::span<const std::uint64_t> sequence);

} // namespace rankscope
