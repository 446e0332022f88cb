// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_facts.h"

#include "core/analysis/classify/own_code.h"
#include "core/analysis/classify/phase_text.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/base/exact_sum.h"
#include "core/model/row_sweep.h"

#include <algorithm>

namespace rankscope {

namespace {

bool nests(TrackKind kind) {
  return kind == TrackKind::Thread || kind == TrackKind::Python || kind == TrackKind::Annotations ||
         kind == TrackKind::GpuAnnotations;
}

// Durations without the events directly below, as in sums over a range.
std::vector<TimeNs> selfTimes(const RankTrace& trace) {
  std::vector<TimeNs> self(trace.events.duration.begin(), trace.events.duration.end());
  for (const Track& track : trace.tracks) {
    if (!nests(track.kind) || track.rowCount < 2) continue;
    RowSweep sweep(trace, track);
    while (sweep.next([](EventIndex) { return true; })) {
      for (const auto& [event, row] : sweep.begun()) {
        const TimeRange whole = trace.events.range(event);
        const EventIndex parent = sweep.lowestUntil(row, whole.begin + 1);
        if (!parent.valid()) continue;
        TimeNs& time = self[parent.value];
        time = stoppingSum(time, -whole.clippedTo(trace.events.range(parent)).length());
      }
    }
  }
  return self;
}

constexpr std::size_t kMaxDepth = 10'000; // of callers, in a damaged recording

} // namespace

EventFacts::EventFacts(const Analysis& analysis, RankIndex rank)
    : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
      m_names(analysis.trace().names()) {}

TimeNs EventFacts::selfTime(EventIndex event) const {
  return m_self.get([this] { return selfTimes(m_trace); })[event.value];
}

const EventFacts::OperatorTimes& EventFacts::operatorTimes() const {
  return m_operators.get([this] {
    const OperatorTree& tree = m_analysis.operatorTree(m_rank);
    OperatorTimes times;
    times.self.resize(tree.enclosing.size());
    times.deviceSelf.resize(tree.enclosing.size());
    forEachOperator(m_trace, m_names, [&](EventIndex call) {
      const TimeNs duration = m_trace.events.duration[call];
      times.self[call.value] = stoppingSum(times.self[call.value], duration);
      const EventIndex outer = tree.enclosingOf(call);
      if (outer.valid()) times.self[outer.value] = stoppingSum(times.self[outer.value], -duration);
    });
    for (std::size_t i = 0; i < tree.owners.size(); ++i) {
      const EventIndex owner = tree.workOf(m_trace, EventIndex(m_trace.deviceBegin.value + i));
      if (!owner.valid()) continue;
      TimeNs& time = times.deviceSelf[owner.value];
      time = stoppingSum(time, m_trace.events.duration[m_trace.deviceBegin.value + i]);
    }
    times.deviceTotal = times.deviceSelf;
    // Callers precede what they call.
    for (std::size_t i = times.deviceTotal.size(); i-- > 0;) {
      const EventIndex outer = tree.enclosing[i];
      if (outer.valid() && times.deviceTotal[i] != 0)
        times.deviceTotal[outer.value] = stoppingSum(times.deviceTotal[outer.value], times.deviceTotal[i]);
    }
    return times;
  });
}

TimeNs EventFacts::operatorSelfTime(EventIndex op) const {
  return operatorTimes().self[op.value];
}

TimeNs EventFacts::deviceSelfTime(EventIndex op) const {
  return operatorTimes().deviceSelf[op.value];
}

TimeNs EventFacts::deviceTotalTime(EventIndex op) const {
  return operatorTimes().deviceTotal[op.value];
}

std::optional<std::int64_t> EventFacts::stepOf(EventIndex event) const {
  const StepWindows& windows = m_analysis.wholeStepWindows(m_rank);
  const auto index = windows.indexAt(m_trace.events.begin[event]);
  if (!index || windows.steps[*index].number == Step::kUnknownNumber) return std::nullopt;
  return windows.steps[*index].number;
}

EventIndex EventFacts::hostEventOf(EventIndex event) const {
  return m_trace.isDeviceEvent(event) ? m_trace.deviceDetail(event).launch : event;
}

Phase EventFacts::phaseOnThread(EventIndex hostEvent) const {
  const auto& threads = m_phases.get([this] {
    std::vector<ThreadPhase> all;
    forEachThreadsPhases(m_trace, m_names, [&](const ThreadPhases& thread) {
      all.push_back({thread.firstTrack, thread.endTrack, {thread.parts.begin(), thread.parts.end()}});
    });
    return all;
  });
  const TrackIndex track = m_trace.trackOf(hostEvent);
  const auto thread =
      std::ranges::upper_bound(threads, std::size_t{track.value}, {}, &ThreadPhase::firstTrack);
  if (thread == threads.begin() || track.value >= (thread - 1)->endTrack) return Phase::None;
  const std::vector<PhaseSpan>& parts = (thread - 1)->parts;
  const TimeNs time = m_trace.events.begin[hostEvent];
  const auto next =
      std::ranges::upper_bound(parts, time, {}, [](const PhaseSpan& p) { return p.range.begin; });
  if (next == parts.begin() || !(next - 1)->range.contains(time)) return Phase::None;
  return (next - 1)->phase;
}

std::string_view EventFacts::phaseOf(EventIndex event) const {
  const EventIndex host = hostEventOf(event);
  if (!host.valid()) return {};
  const Phase own = phaseOnThread(host);
  if (own != Phase::None || host == event) return phaseText(own);
  // Work handed to another thread, as for phases of device time.
  const HostPhases& phases = m_analysis.wholePhases(m_rank);
  for (const Phase phase : {Phase::Backward, Phase::Optimizer, Phase::Loss, Phase::Forward}) {
    if (phases.of(phase).contains(m_trace.events.begin[host])) return phaseText(phase);
  }
  return {};
}

std::string_view EventFacts::partOf(EventIndex event, const Lazy<CallGroups>& groups,
                                    CallGrouping grouping) const {
  const CallGroups& all = groups.get([&] { return callGroups(m_analysis, m_rank, grouping); });
  const std::uint32_t group = all.of(m_trace, event);
  return group == 0 ? std::string_view() : all.texts[group];
}

std::string_view EventFacts::moduleOf(EventIndex event) const {
  return partOf(event, m_modules, CallGrouping::Module);
}

std::string_view EventFacts::layerOf(EventIndex event) const {
  return partOf(event, m_layers, CallGrouping::Layer);
}

std::string_view EventFacts::sourceOf(EventIndex event) const {
  const CallNesting& nesting = m_nesting.get([this] { return callNesting(m_trace); });
  std::string_view innermost;
  std::size_t depth = 0;
  for (EventIndex call = hostEventOf(event); call.valid() && depth < kMaxDepth;
       call = nesting.parentOf(call), ++depth) {
    const std::string_view name = m_names[m_trace.events.name[call]];
    if (m_trace.events.kind[call] != EventKind::Python) continue;
    if (isOwnCode(name)) return name;
    if (innermost.empty() && !isModuleFrame(name)) innermost = name;
  }
  return innermost;
}

} // namespace rankscope
