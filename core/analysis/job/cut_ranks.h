// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks whose file ends too early: an interrupted copy, a full disk, a job that was killed while it wrote.
// Their steps and times are those of a part, so that means over ranks leave them out and name them. Pure
// functions of an Analysis; O(ranks).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/truncated_ranks.h"

#include <string>
#include <vector>

namespace rankscope {

// Of the ranks that are asked about: those whose file reports it, unless a hundredth of the others' time and
// events is not even missing.
[[nodiscard]] std::vector<CutRank> cutRanks(const Analysis& analysis);
// The others, or all of them when none is whole: what means over ranks are made of.
[[nodiscard]] std::vector<RankIndex> wholeRanks(const Analysis& analysis);

// "1.2 s of the job's time (60 %) and 40 % of its events are missing".
[[nodiscard]] std::string missingText(const CutRank& cut);

} // namespace rankscope
