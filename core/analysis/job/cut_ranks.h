// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks with truncated files: interrupted copy, full disk, job killed while writing. Their steps and times
// are incomplete, so means over ranks exclude them and name them. Pure functions of an Analysis; O(ranks).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/job/truncated_ranks.h"

#include <string>
#include <vector>

namespace rankscope {

// Of the ranks that are asked about: those whose file reports it, unless a hundredth of the others' time and
// events is not even missing.
[[nodiscard]] std::vector<CutRank> cutRanks(const Analysis& analysis);
// The other ranks, which are included in means; all ranks if every one is truncated.
[[nodiscard]] std::vector<RankIndex> wholeRanks(const Analysis& analysis);

// "1.2 s of the job's time (60 %) and 40 % of the events are missing".
[[nodiscard]] std::string missingText(const CutRank& cut);

} // namespace rankscope
