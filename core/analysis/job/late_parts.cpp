// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/late_parts.h"

#include "core/analysis/job/analysis.h"

#include <utility>

namespace rankscope {

std::string_view latePartText(LatePart part) {
  switch (part) {
  case LatePart::Unknown:
    return {};
  case LatePart::DataLoader:
    return "DataLoader";
  case LatePart::Forward:
    return "forward";
  case LatePart::Loss:
    return "loss";
  case LatePart::Backward:
    return "backward";
  case LatePart::Optimizer:
    return "optimizer";
  case LatePart::Kernels:
    return "kernels";
  case LatePart::Host:
    return "host, while the GPU is idle";
  }
  return {};
}

TimeOfParts timeOfParts(const Analysis& analysis, RankIndex rank, TimeRange range) {
  const HostPhases& phases = analysis.wholePhases(rank);
  const DeviceActivity& activity = analysis.wholeActivity(rank);
  const auto host = [&](Phase phase) { return phases.of(phase).coveredWithin(range); };
  const TimeNs idle = activity.busy.empty() ? 0 : range.length() - activity.busy.coveredWithin(range);
  return {host(Phase::DataLoader),
          activity.compute.coveredWithin(range),
          host(Phase::Forward),
          host(Phase::Loss),
          host(Phase::Backward),
          host(Phase::Optimizer),
          idle};
}

std::pair<LatePart, TimeNs> worstPart(const TimeOfParts& excess, TimeNs minimum) {
  std::pair<LatePart, TimeNs> worst{LatePart::Unknown, 0};
  for (std::size_t p = 0; p < kLateParts.size(); ++p) {
    const bool decided = worst.first == LatePart::DataLoader || worst.first == LatePart::Kernels;
    if (decided || excess[p] < minimum || excess[p] <= worst.second) continue;
    worst = {kLateParts[p], excess[p]};
  }
  return worst;
}

} // namespace rankscope
