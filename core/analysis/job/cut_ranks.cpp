// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/cut_ranks.h"

#include "core/base/unit_text.h"

#include <algorithm>

namespace rankscope {

std::vector<CutRank> cutRanks(const Analysis& analysis) {
  return truncatedRanks(analysis.trace(), analysis.clocks(), analysis.ranks());
}

std::vector<RankIndex> wholeRanks(const Analysis& analysis) {
  const std::vector<CutRank> cut = cutRanks(analysis);
  if (cut.size() == analysis.ranks().size()) return analysis.ranks();
  std::vector<RankIndex> whole = analysis.ranks();
  std::erase_if(whole,
                [&](RankIndex rank) { return std::ranges::find(cut, rank, &CutRank::rank) != cut.end(); });
  return whole;
}

std::string missingText(const CutRank& cut) {
  if (cut.missingTime == 0 && cut.missingEvents == 0)
    return "what is missing cannot be told from other ranks";
  return durationText(cut.missingTime) + " of the job's time (" + percentText(cut.missingTimePct) + ") and " +
         percentText(cut.missingEventsPct) + " of the events are missing";
}

} // namespace rankscope
