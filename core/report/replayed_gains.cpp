// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/replayed_gains.h"

#include "core/analysis/graph/what_if.h"

#include <cmath>
#include <string>

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
    if (finding.leaf.empty() || !isAboutAllRanks(analysis, finding)) return std::nullopt;
    ScenarioPart part = partOf(ScenarioKind::NoGap);
    part.text = finding.leaf;
    return Scenario{{part}};
  }
  default:
    return std::nullopt;
  }
}

std::optional<Gain> replayedGain(const WhatIf& whatIf, const Scenario& scenario) {
  const WhatIfAnswer answer = whatIf.answer(scenario, false);
  if (!answer.refused.empty()) return std::nullopt;
  return Gain{std::llround(answer.gainLow), std::llround(answer.gainHigh)};
}

} // namespace rankscope
