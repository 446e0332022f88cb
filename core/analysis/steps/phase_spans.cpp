// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/phase_spans.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <vector>

namespace rankscope {

namespace {

bool isPhase(Phase phase) {
  return phase != Phase::None && phase != Phase::Step;
}

// Assigns each time of a thread to the innermost span that contains it.
class InnermostParts {
 public:
  // Add spans sorted by begin, then longest first.
  void add(const PhaseSpan& span) {
    closeUntil(span.range.begin);
    give(span.range.begin);
    m_open.push_back(span);
    m_time = std::max(m_time, span.range.begin);
  }
  // Returns the parts of the thread and resets for the next one.
  [[nodiscard]] std::span<const PhaseSpan> finish() {
    closeUntil(kAllTime.end);
    m_time = kAllTime.begin;
    return m_parts;
  }
  void clear() { m_parts.clear(); }

 private:
  void closeUntil(TimeNs time) {
    while (!m_open.empty() && m_open.back().range.end <= time) {
      give(m_open.back().range.end);
      m_open.pop_back();
    }
  }
  void give(TimeNs end) {
    if (m_open.empty() || end <= m_time) return;
    m_parts.push_back({{m_time, end}, m_open.back().phase});
    m_time = end;
  }

  std::vector<PhaseSpan> m_parts;
  std::vector<PhaseSpan> m_open;
  TimeNs m_time = kAllTime.begin;
};

class SpanCollector {
 public:
  SpanCollector(const RankTrace& trace, const StringTable& names)
      : m_trace(trace), m_ofAnnotation(names, &annotationPhase), m_ofOperator(names, &operatorPhase) {}

  void collect(const Track& track) {
    if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) return;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const EventKind kind = m_trace.events.kind[event];
      if (kind != EventKind::CpuOp && kind != EventKind::Annotation) continue;
      const NameId name = m_trace.events.name[event];
      const auto phase =
          static_cast<Phase>(kind == EventKind::CpuOp ? m_ofOperator[name] : m_ofAnnotation[name]);
      if (isPhase(phase)) m_spans.push_back({m_trace.events.range(event), phase});
    }
  }
  // Parts of the thread whose tracks were added.
  [[nodiscard]] std::span<const PhaseSpan> parts() {
    sortRuns(m_spans, [](const PhaseSpan& a, const PhaseSpan& b) {
      return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
    });
    m_parts.clear();
    for (const PhaseSpan& span : m_spans) m_parts.add(span);
    m_spans.clear();
    return m_parts.finish();
  }

 private:
  static std::uint8_t annotationPhase(std::string_view name) {
    return static_cast<std::uint8_t>(phaseOf(name));
  }
  static std::uint8_t operatorPhase(std::string_view name) {
    return static_cast<std::uint8_t>(operatorPhaseOf(name));
  }

  const RankTrace& m_trace;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofAnnotation;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofOperator;
  std::vector<PhaseSpan> m_spans;
  InnermostParts m_parts;
};

bool isSameThread(const Track& a, const Track& b) {
  return a.process == b.process && a.thread == b.thread;
}

} // namespace

void forEachThreadsPhases(const RankTrace& trace, const StringTable& names,
                          const std::function<void(const ThreadPhases&)>& visit) {
  SpanCollector collector(trace, names);
  std::size_t first = 0;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    collector.collect(trace.tracks[t]);
    const bool last = t + 1 == trace.tracks.size();
    if (!last && isSameThread(trace.tracks[t], trace.tracks[t + 1])) continue;
    visit({first, t + 1, collector.parts()});
    first = t + 1;
  }
}

} // namespace rankscope
