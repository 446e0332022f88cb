// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/reported_part.h"

#include "core/analysis/job/cut_ranks.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace rankscope {

std::string_view reportedPart(const JobReport& report) {
  if (report.keptAccount().areSteps) return "step";
  const Analysis& analysis = report.analysis();
  const auto isPart = [&](RankIndex rank) { return analysis.window(rank) != kWholeRecording; };
  return std::ranges::any_of(analysis.ranks(), isPart) ? "range" : "recording";
}

bool ranksDifferInSteps(const Analysis& analysis) {
  const KeptSteps& kept = analysis.keptSteps();
  std::set<int> ranks;
  std::vector<std::size_t> recorded(kept.steps.size());
  for (const RankIndex rank : wholeRanks(analysis)) {
    ranks.insert(analysis.trace().rank(rank).rank);
    for (const std::size_t place : kept.stepOfRank[rank.value]) ++recorded[place];
  }
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (kept.steps[i].kept() && recorded[i] > 0 && recorded[i] < ranks.size()) return true;
  return false;
}

} // namespace rankscope
