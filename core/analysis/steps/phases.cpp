// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/phases.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/sort_runs.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <span>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kPhaseCount = static_cast<std::size_t>(Phase::Optimizer) + 1;

struct PhaseSpan {
  TimeRange range;
  Phase phase;
};

bool isPhase(Phase phase) {
  return phase != Phase::None && phase != Phase::Step;
}

// The parts of a thread's time, each given to the innermost span that holds it.
class InnermostParts {
 public:
  explicit InnermostParts(std::array<IntervalBuilder, kPhaseCount>& parts) : m_parts(parts) {}

  // By begin, of equal begins the longest first.
  void add(const PhaseSpan& span) {
    closeUntil(span.range.begin);
    give(span.range.begin);
    m_open.push_back(span);
    m_time = std::max(m_time, span.range.begin);
  }
  void finish() {
    closeUntil(kAllTime.end);
    m_time = kAllTime.begin;
  }

 private:
  void closeUntil(TimeNs time) {
    while (!m_open.empty() && m_open.back().range.end <= time) {
      give(m_open.back().range.end);
      m_open.pop_back();
    }
  }
  void give(TimeNs end) {
    if (m_open.empty() || end <= m_time) return;
    m_parts[static_cast<std::size_t>(m_open.back().phase)].add({m_time, end});
    m_time = end;
  }

  std::array<IntervalBuilder, kPhaseCount>& m_parts;
  std::vector<PhaseSpan> m_open;
  TimeNs m_time = kAllTime.begin;
};

class PhaseFinder {
 public:
  PhaseFinder(const RankTrace& trace, const StringTable& names)
      : m_trace(trace), m_ofAnnotation(names, &annotationPhase), m_ofOperator(names, &operatorPhase) {}

  HostPhases phases() {
    for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
      const Track& track = m_trace.tracks[t];
      if (track.kind == TrackKind::Annotations || track.kind == TrackKind::Thread) collect(track);
      const bool last = t + 1 == m_trace.tracks.size();
      if (!last && isSameThread(track, m_trace.tracks[t + 1])) continue;
      finishThread();
    }
    const auto take = [&](Phase phase) { return m_parts[static_cast<std::size_t>(phase)].take(); };
    return {take(Phase::DataLoader), take(Phase::Forward), take(Phase::Loss), take(Phase::Backward),
            take(Phase::Optimizer)};
  }

 private:
  static std::uint8_t annotationPhase(std::string_view name) {
    return static_cast<std::uint8_t>(phaseOf(name));
  }
  static std::uint8_t operatorPhase(std::string_view name) {
    return static_cast<std::uint8_t>(operatorPhaseOf(name));
  }
  static bool isSameThread(const Track& a, const Track& b) {
    return a.process == b.process && a.thread == b.thread;
  }

  void collect(const Track& track) {
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const EventKind kind = m_trace.events.kind[event];
      if (kind != EventKind::CpuOp && kind != EventKind::Annotation) continue;
      const NameId name = m_trace.events.name[event];
      const auto phase =
          static_cast<Phase>(kind == EventKind::CpuOp ? m_ofOperator[name] : m_ofAnnotation[name]);
      if (isPhase(phase)) m_spans.push_back({m_trace.events.range(event), phase});
    }
  }
  void finishThread() {
    sortRuns(m_spans, [](const PhaseSpan& a, const PhaseSpan& b) {
      return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
    });
    for (IntervalBuilder& part : m_parts) {
      part.beginThread();
      part.beginRow();
    }
    InnermostParts innermost(m_parts);
    for (const PhaseSpan& span : m_spans) innermost.add(span);
    innermost.finish();
    m_spans.clear();
  }

  const RankTrace& m_trace;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofAnnotation;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofOperator;
  std::vector<PhaseSpan> m_spans; // of the thread
  std::array<IntervalBuilder, kPhaseCount> m_parts;
};

} // namespace

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
  HostPhases phases = PhaseFinder(trace, names).phases();
  return window == kAllTime ? phases : clippedTo(phases, window);
}

} // namespace rankscope
