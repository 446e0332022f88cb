// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of a large job that behave alike, and those that do not. Two ranks are alike if each part of their
// time differs by less than a twentieth of the job's usual length. A group is formed around the rank that is
// closest to the median of the ranks without a group; too small a group consists of outliers. Stragglers are
// always outliers. Pure functions; O(ranks * groups).
#pragma once

#include "core/model/trace_set.h"

#include <array>
#include <span>
#include <vector>

namespace rankscope {
class Analysis;
}

namespace rankscope::ui {

// Parts of a rank's time as shares of the job's usual length: step, step time excluding communication,
// compute, communication, exposed communication, memory copies, idle.
using RankProfile = std::array<double, 7>;

struct SimilarRanks {
  std::vector<RankIndex> outliers;            // stragglers first, then by distance from the median
  std::vector<std::vector<RankIndex>> groups; // the largest first; ranks ascending
};

// A profile for each rank, which RankIndex counts here. stragglers: by cost.
[[nodiscard]] SimilarRanks similarRanks(std::span<const RankProfile> profiles,
                                        std::span<const RankIndex> stragglers);

// Of recordings: a rank is in one group with all of its captures, by the mean of these. Computes the missing
// parts of the analysis.
[[nodiscard]] SimilarRanks similarRanks(const Analysis& analysis);

} // namespace rankscope::ui
