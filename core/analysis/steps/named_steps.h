// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that a program marks by the names of its own ranges: "step_12", "iteration 16", "train_step". A
// recorder of NVTX ranges, such as Nsight Systems, has no other marks. Pure function of one recording; one
// pass over annotations.
#pragma once

#include "core/analysis/steps/step_list.h"

#include <vector>

namespace rankscope {

// Of one name on one thread: at least two ranges that do not overlap, their numbers ascending, which together
// cover at least half of the time from the first to the last device event (or of the recording, if there is
// none). Names with numbers come first, then what covers more. Ranges without a number have to launch at
// least half of the device's work, and are numbered from 0. Marks of a moment (NVTX marks) cut steps too, if
// no ranges fit: a step lasts from its mark to the next one, and the last mark only ends the step before it.
// Sorted by begin; empty if no name fits.
[[nodiscard]] std::vector<Step> stepsOfNames(const RankTrace& trace, const StringTable& names);

} // namespace rankscope
