// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/device_phases.h"

#include "core/analysis/steps/phase_spans.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rankscope {

namespace {

Phase phaseAt(std::span<const PhaseSpan> parts, TimeNs time) {
  const auto next =
      std::ranges::upper_bound(parts, time, {}, [](const PhaseSpan& part) { return part.range.begin; });
  if (next == parts.begin()) return Phase::None;
  const PhaseSpan& part = *(next - 1);
  return part.range.contains(time) ? part.phase : Phase::None;
}

// Excludes the DataLoader, whose threads run concurrently with all phases.
Phase phaseElsewhere(const HostPhases& host, TimeNs time) {
  for (const Phase phase : {Phase::Backward, Phase::Optimizer, Phase::Loss, Phase::Forward}) {
    if (host.of(phase).contains(time)) return phase;
  }
  return Phase::None;
}

// By device event.
std::vector<Phase> phasesOfEvents(const RankTrace& trace, const StringTable& names, const HostPhases& host) {
  std::vector<Phase> phases(trace.deviceEnd.value - trace.deviceBegin.value, Phase::None);
  const auto byLaunch = trace.byLaunch.span();
  const auto launchOf = [&](EventIndex event) { return trace.deviceDetail(event).launch; };
  forEachThreadsPhases(trace, names, [&](const ThreadPhases& thread) {
    for (std::size_t t = thread.firstTrack; t < thread.endTrack; ++t) {
      const Track& track = trace.tracks[t];
      const auto first = std::ranges::lower_bound(byLaunch, track.firstEvent, {}, launchOf);
      for (auto at = first; at != byLaunch.end() && launchOf(*at) < track.endEvent; ++at) {
        const TimeNs time = trace.events.begin[launchOf(*at)];
        const Phase own = phaseAt(thread.parts, time);
        phases[at->value - trace.deviceBegin.value] = own != Phase::None ? own : phaseElsewhere(host, time);
      }
    }
  });
  return phases;
}

} // namespace

DevicePhases devicePhases(const RankTrace& trace, const StringTable& names, const HostPhases& host) {
  if (!trace.hasDeviceEvents()) return {};
  const std::vector<Phase> phases = phasesOfEvents(trace, names, host);
  std::array<IntervalBuilder, kPhaseCount> builders;
  for (const Row& row : trace.rows) {
    if (row.firstEvent < trace.deviceBegin || row.firstEvent >= trace.deviceEnd) continue;
    for (IntervalBuilder& builder : builders) builder.beginRow();
    for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
      const Phase phase = phases[event.value - trace.deviceBegin.value];
      builders[static_cast<std::size_t>(phase)].add(trace.events.range(event));
    }
  }
  const auto take = [&](Phase phase) { return builders[static_cast<std::size_t>(phase)].take(); };
  return {{take(Phase::DataLoader), take(Phase::Forward), take(Phase::Loss), take(Phase::Backward),
           take(Phase::Optimizer)},
          take(Phase::None)};
}

} // namespace rankscope
