// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/scenario_names.h"

#include "core/report/leaf_texts.h"

#include <fmt/format.h>

namespace rankscope {

namespace {

std::string partName(const ScenarioPart& part) {
  const std::string rank = part.rank ? fmt::format("rank {}", *part.rank) : "the slowest rank";
  const std::string of = part.text.empty() ? "" : fmt::format(" ({})", part.text);
  switch (part.kind) {
  case ScenarioKind::NoStragglers:
    return "No stragglers";
  case ScenarioKind::RankAsPeers:
    return part.rank ? fmt::format("Rank {} as its peers", *part.rank) : "Slowest rank as its peers";
  case ScenarioKind::WithoutRank:
    return fmt::format("No waiting for {}", rank);
  case ScenarioKind::AllButAsPeers:
    return fmt::format("All but {} as their peers", rank);
  case ScenarioKind::Kernel:
    return fmt::format("Kernels × {}{}", part.factor, of);
  case ScenarioKind::Link:
    return fmt::format("Links {} × as fast{}", part.factor, of);
  case ScenarioKind::TransferZero:
    return "Transfer 0";
  case ScenarioKind::PerfectOverlap:
    return "Perfect overlap";
  case ScenarioKind::NoContention:
    return "No contention";
  case ScenarioKind::ZeroHost:
    return "Zero host";
  case ScenarioKind::Host:
    return fmt::format("Host × {}", part.factor);
  case ScenarioKind::NoGap:
    return fmt::format("No gaps: {}{}", leafOrParentTitle(part.text), part.rank ? " on " + rank : "");
  case ScenarioKind::NoSync:
    return "No synchronization";
  case ScenarioKind::CopiesOverlapped:
    return "Copies overlapped";
  }
  return {};
}

} // namespace

std::string scenarioName(const Scenario& scenario) {
  std::string name;
  for (const ScenarioPart& part : scenario.parts) {
    if (!name.empty()) name += " + ";
    name += partName(part);
  }
  return name;
}

} // namespace rankscope
