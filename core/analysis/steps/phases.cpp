// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/phases.h"

#include "core/analysis/steps/phase_spans.h"
#include "core/index/interval_builder.h"

#include <array>
#include <span>

namespace rankscope {

const IntervalSet& HostPhases::of(Phase phase) const {
  static const IntervalSet kNothing;
  switch (phase) {
  case Phase::DataLoader:
    return dataLoader;
  case Phase::Forward:
    return forward;
  case Phase::Loss:
    return loss;
  case Phase::Backward:
    return backward;
  case Phase::Optimizer:
    return optimizer;
  case Phase::None:
  case Phase::Step:
    break;
  }
  return kNothing;
}

HostPhases clippedTo(const HostPhases& phases, TimeRange window) {
  return {phases.dataLoader.clippedTo(window), phases.forward.clippedTo(window),
          phases.loss.clippedTo(window), phases.backward.clippedTo(window),
          phases.optimizer.clippedTo(window)};
}

HostPhases hostPhases(const RankTrace& trace, const StringTable& names, TimeRange window) {
  std::array<IntervalBuilder, kPhaseCount> builders;
  forEachThreadsPhases(trace, names, [&](const ThreadPhases& thread) {
    for (IntervalBuilder& of : builders) {
      of.beginThread();
      of.beginRow();
    }
    for (const PhaseSpan& part : thread.parts) builders[static_cast<std::size_t>(part.phase)].add(part.range);
  });
  const auto take = [&](Phase phase) { return builders[static_cast<std::size_t>(phase)].take(); };
  HostPhases phases{take(Phase::DataLoader), take(Phase::Forward), take(Phase::Loss), take(Phase::Backward),
                    take(Phase::Optimizer)};
  return window == kAllTime ? phases : clippedTo(phases, window);
}

} // namespace rankscope
