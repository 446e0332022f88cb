// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/rank_counts.h"

#include <set>

namespace rankscope {

RankCounts countRanks(const Analysis& analysis) {
  std::set<int> numbers;
  for (const RankIndex rank : analysis.ranks()) numbers.insert(analysis.trace().rank(rank).rank);
  return {numbers.size(), analysis.ranks().size()};
}

} // namespace rankscope
