// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/host_activity.h"

#include "core/analysis/activity/host_compute.h"
#include "core/analysis/classify/name_traits.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

enum class Part : std::uint8_t { Nothing, Runtime, Execution, DataLoader, Collectives, Queued };

std::uint8_t code(Part part) {
  return static_cast<std::uint8_t>(part);
}

std::uint8_t partOfAnnotation(std::string_view name) {
  const Phase phase = phaseOf(name);
  return code(phase == Phase::Step         ? Part::Nothing
              : phase == Phase::DataLoader ? Part::DataLoader
                                           : Part::Execution);
}

std::uint8_t partOfOperator(std::string_view name) {
  return code(operatorPhaseOf(name) == Phase::DataLoader ? Part::DataLoader : Part::Execution);
}

std::uint8_t partOfCollective(std::string_view name) {
  return code(isCollectiveSpan(name) ? Part::Collectives : Part::Execution);
}

// On a rank without device activity.
std::uint8_t partOfHostCollective(std::string_view name) {
  return code(isCollectiveOfHost(name) ? Part::Collectives
              : isCollectiveSpan(name) ? Part::Queued
                                       : Part::Execution);
}

using Thread = std::pair<std::string_view, std::string_view>;

class HostPass {
 public:
  HostPass(const RankTrace& trace, const StringTable& names, const StepWindows& steps)
      : m_trace(trace), m_ofAnnotation(names, &partOfAnnotation), m_ofOperator(names, &partOfOperator),
        m_hasDevice(trace.hasDeviceEvents()),
        m_ofCollective(names, m_hasDevice ? &partOfCollective : &partOfHostCollective),
        m_hostCompute(trace, names) {
    for (const StepWindow& step : steps.steps) {
      if (step.event.valid()) m_stepNames.insert(trace.events.name[step.event]);
    }
  }

  HostActivity activity() {
    Thread thread;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
      if (Thread(track.process, track.thread) != thread) {
        thread = {track.process, track.thread};
        for (IntervalBuilder& part : m_parts) part.beginThread();
        m_compute.beginThread();
      }
      const bool computes = !m_hasDevice && m_hostCompute.isOn(track);
      for (std::uint32_t row = 0; row < track.rowCount; ++row)
        addRow(m_trace.rows[track.firstRow.value + row], computes);
    }
    const auto take = [&](Part part) { return m_parts[code(part)].take(); };
    HostActivity result{take(Part::Runtime), take(Part::Execution), take(Part::DataLoader),
                        take(Part::Collectives), m_compute.take()};
    // Some host-only recordings contain only the call of a collective, not its span.
    if (!m_hasDevice && !m_queues && result.collectives.empty()) result.collectives = m_calls.take();
    return result;
  }

 private:
  Part partOf(EventIndex event) {
    const NameId name = m_trace.events.name[event];
    switch (m_trace.events.kind[event]) {
    case EventKind::Runtime:
      return Part::Runtime;
    case EventKind::CpuOp:
      return static_cast<Part>(m_ofOperator[name]);
    case EventKind::HostCollective:
      return static_cast<Part>(m_ofCollective[name]);
    case EventKind::Annotation:
      return m_stepNames.contains(name) ? Part::Nothing : static_cast<Part>(m_ofAnnotation[name]);
    default:
      return Part::Nothing;
    }
  }

  void addRow(const Row& row, bool computes) {
    for (IntervalBuilder& part : m_parts) part.beginRow();
    m_compute.beginRow();
    m_calls.beginThread();
    m_calls.beginRow();
    for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
      Part part = partOf(event);
      if (part == Part::Nothing) continue;
      if (part == Part::Queued) {
        m_queues = true;
        part = Part::Execution;
      }
      const TimeRange range = m_trace.events.range(event);
      m_parts[code(part)].add(range);
      if (m_hasDevice || part != Part::Execution) continue;
      const EventKind kind = m_trace.events.kind[event];
      if (kind == EventKind::HostCollective) m_calls.add(range);
      if (computes && m_hostCompute.contains(event)) m_compute.add(range);
    }
  }

  const RankTrace& m_trace;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofAnnotation;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofOperator;
  bool m_hasDevice;
  NameMemory<std::uint8_t (*)(std::string_view)> m_ofCollective;
  HostCompute m_hostCompute;
  std::set<NameId> m_stepNames;
  std::array<IntervalBuilder, 5> m_parts; // by Part
  IntervalBuilder m_compute;
  IntervalBuilder m_calls;
  bool m_queues = false; // collectives to a device whose activity was not recorded
};

} // namespace

HostActivity hostActivity(const RankTrace& trace, const StringTable& names, const StepWindows& steps) {
  return HostPass(trace, names, steps).activity();
}

} // namespace rankscope
