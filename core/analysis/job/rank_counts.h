// SPDX-License-Identifier: GPL-3.0-or-later
// How many ranks an analysis is about: a rank that was recorded in several profiling cycles is one rank with
// several captures. O(ranks log ranks).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstddef>

namespace rankscope {

struct RankCounts {
  std::size_t ranks = 0;    // different ones
  std::size_t captures = 0; // recordings of them: as many as analysis.ranks()

  [[nodiscard]] bool severalCaptures() const { return captures > ranks; }
};

[[nodiscard]] RankCounts countRanks(const Analysis& analysis);

} // namespace rankscope
