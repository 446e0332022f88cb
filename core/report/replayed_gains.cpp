// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/replayed_gains.h"

#include "core/analysis/graph/what_if.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

ScenarioPart partOf(ScenarioKind kind) {
  ScenarioPart part;
  part.kind = kind;
  return part;
}

bool isAboutAllRanks(const Analysis& analysis, const Finding& finding) {
  return finding.ranks.empty() || finding.ranks.size() == analysis.ranks().size();
}

// Once each: a rank may have several recordings.
std::set<int> numbersOf(const Analysis& analysis, const std::vector<RankIndex>& ranks) {
  std::set<int> numbers;
  for (const RankIndex rank : ranks) numbers.insert(analysis.trace().rank(rank).rank);
  return numbers;
}

// A host that waits for its device, or for others, without a recorded call looks like one that works, and no
// scenario would make it faster. Where most of the path is such time, a replay says nothing of gains.
constexpr double kMaxUntraced = 0.5;

double untracedShare(const WhatIf& whatIf) {
  CategoryTimes sum;
  for (const WindowPath& path : whatIf.path().windows) {
    const CategoryTimes of = categoryTimes(path.segments);
    for (std::size_t i = 0; i < kPathCategoryCount; ++i) sum.of[i] += of.of[i];
  }
  const auto whole = static_cast<double>(sum.total());
  const auto untraced = static_cast<double>(sum[PathCategory::Untraced]);
  return whole > 0 ? untraced / whole : 0;
}

} // namespace

std::optional<Scenario> scenarioWithout(const Analysis& analysis, const Finding& finding) {
  switch (finding.kind) {
  case FindingKind::Straggler: {
    if (!finding.rank.valid()) return std::nullopt;
    ScenarioPart part = partOf(ScenarioKind::RankAsPeers);
    part.rank = analysis.trace().rank(finding.rank).rank;
    return Scenario{{part}};
  }
  case FindingKind::DataLoaderStall:
  case FindingKind::Synchronization:
  case FindingKind::DeviceAllocation:
  case FindingKind::Python: {
    if (finding.leaf.empty()) return std::nullopt;
    ScenarioPart part = partOf(ScenarioKind::NoGap);
    part.text = finding.leaf;
    if (isAboutAllRanks(analysis, finding)) return Scenario{{part}};
    Scenario scenario;
    for (const int rank : numbersOf(analysis, finding.ranks)) {
      part.rank = rank;
      scenario.parts.push_back(part);
    }
    return scenario;
  }
  default:
    return std::nullopt;
  }
}

std::optional<Gain> replayedGain(const WhatIf& whatIf, const Scenario& scenario) {
  const WhatIfAnswer answer = whatIf.answer(scenario, false);
  if (!answer.refused.empty() || untracedShare(whatIf) > kMaxUntraced) return std::nullopt;
  return Gain{std::llround(answer.gainLow), std::llround(answer.gainHigh)};
}

} // namespace rankscope
