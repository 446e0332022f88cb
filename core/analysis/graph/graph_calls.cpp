// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/graph_calls.h"

#include "core/analysis/classify/name_traits.h"
#include "core/model/event_kind.h"

#include <algorithm>
#include <string_view>

namespace rankscope {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

GraphCallRole roleOf(std::string_view name) {
  switch (callClassOf(name)) {
  case CallClass::Synchronize:
    return GraphCallRole::Synchronize;
  case CallClass::Copy:
    return GraphCallRole::Copy;
  case CallClass::Allocate:
    return contains(name, "Free") ? GraphCallRole::Free : GraphCallRole::Allocate;
  case CallClass::Other:
    break;
  }
  if (isCollectiveCallName(name))
    return contains(name, "wait_tensor") ? GraphCallRole::AwaitCollective : GraphCallRole::StartCollective;
  if (isGraphLaunch(name)) return GraphCallRole::Launch;
  if (contains(name, "EventRecord")) return GraphCallRole::RecordEvent;
  return contains(name, "StreamWaitEvent") ? GraphCallRole::AwaitEvent : GraphCallRole::Other;
}

std::uint8_t roleNumber(std::string_view name) {
  return static_cast<std::uint8_t>(roleOf(name));
}

std::uint8_t loadsData(std::string_view name) {
  return phaseOf(name) == Phase::DataLoader ? 1 : 0;
}

std::uint8_t runsBackward(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function") ? 1 : 0;
}

class ThreadReader {
 public:
  ThreadReader(const RankTrace& trace, const StringTable& names, bool hostCollectives)
      : m_trace(trace), m_hostCollectives(hostCollectives), m_roles(names, &roleNumber),
        m_loads(names, &loadsData), m_backward(names, &runsBackward),
        m_launches(trace.deviceEnd.value, false) {
    for (const EventIndex event : trace.byLaunch) {
      const EventIndex launch = trace.deviceDetail(event).launch;
      if (launch.value >= m_launches.size()) m_launches.resize(launch.value + std::size_t{1}, false);
      m_launches[launch.value] = true;
    }
  }

  // Nothing that counts: no calls and not wanted.
  bool read(const HostThread& host, GraphThread& thread, GraphThreads& all) {
    bool counts = host.mainThread;
    if (host.operators.valid()) {
      counts |= addCalls(m_trace.tracks[host.operators.value], thread, all);
      thread.runs = runsOf(host.work);
    }
    if (counts && host.annotations.valid()) thread.loads = loadsOf(m_trace.tracks[host.annotations.value]);
    return counts;
  }

 private:
  [[nodiscard]] bool launches(EventIndex event) const {
    return event.value < m_launches.size() && m_launches[event.value];
  }

  // Whether the operator starts or awaits one.
  bool isOfHostCollective(EventIndex event) {
    if (!m_hostCollectives || m_trace.events.kind[event] != EventKind::HostCollective) return false;
    const auto role = static_cast<GraphCallRole>(m_roles[m_trace.events.name[event]]);
    return role == GraphCallRole::StartCollective || role == GraphCallRole::AwaitCollective;
  }

  bool addCalls(const Track& track, GraphThread& thread, GraphThreads& all) {
    bool counts = false;
    std::vector<EventIndex> rows;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const EventKind kind = m_trace.events.kind[event];
      if (kind == EventKind::Runtime || isOfHostCollective(event)) rows.push_back(event);
      if (kind == EventKind::CpuOp && m_backward[m_trace.events.name[event]] != 0) counts = true;
    }
    const EventColumns& events = m_trace.events;
    std::ranges::sort(rows, [&](EventIndex a, EventIndex b) {
      if (events.begin[a] != events.begin[b]) return events.begin[a] < events.begin[b];
      return events.duration[a] != events.duration[b] ? events.duration[a] > events.duration[b] : a < b;
    });
    for (std::size_t i = 0; i < rows.size();) {
      const TimeNs end = events.range(rows[i]).end;
      std::size_t next = i + 1;
      while (next < rows.size() && events.begin[rows[next]] < end) ++next;
      const GraphCallRole role = roleOfGroup(std::span(rows).subspan(i, next - i), all);
      if (role != GraphCallRole::Other) thread.calls.push_back({rows[i], role});
      // Events alone do not make a thread one that drives a device: NCCL's watchdog asks for them as well.
      counts |= role != GraphCallRole::Other && role != GraphCallRole::RecordEvent;
      i = next;
    }
    return counts;
  }

  // Of a row and those within it.
  GraphCallRole roleOfGroup(std::span<const EventIndex> group, GraphThreads& all) {
    bool launching = false;
    auto role = GraphCallRole::Other;
    for (const EventIndex event : group) {
      if (launches(event)) {
        launching = true;
        all.outermost.emplace_back(event, group.front());
      }
      if (role == GraphCallRole::Other)
        role = static_cast<GraphCallRole>(m_roles[m_trace.events.name[event]]);
    }
    return role == GraphCallRole::Other && launching ? GraphCallRole::Launch : role;
  }

  static std::vector<TimeRange> runsOf(const IntervalSet& work) {
    std::vector<TimeRange> runs;
    runs.reserve(work.size());
    for (const TimeRange range : work.ranges()) {
      if (!runs.empty() && range.begin - runs.back().end < kRunHole)
        runs.back().end = range.end;
      else
        runs.push_back(range);
    }
    return runs;
  }

  std::vector<TimeRange> loadsOf(const Track& track) {
    std::vector<TimeRange> loads;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (m_trace.events.kind[event] == EventKind::Annotation && m_loads[m_trace.events.name[event]] != 0)
        loads.push_back(m_trace.events.range(event));
    }
    const IntervalSet disjoint(std::move(loads));
    return {disjoint.ranges().begin(), disjoint.ranges().end()};
  }

  const RankTrace& m_trace;
  bool m_hostCollectives;
  NameMemory<std::uint8_t (*)(std::string_view)> m_roles;
  NameMemory<std::uint8_t (*)(std::string_view)> m_loads;
  NameMemory<std::uint8_t (*)(std::string_view)> m_backward;
  std::vector<bool> m_launches; // by event
};

// Whether all that the thread did lies within collectives, as on threads of gloo.
bool isBackend(const GraphThread& thread, const RankTrace& trace) {
  if (thread.collectives.empty() || !thread.calls.empty()) return false;
  std::vector<TimeRange> ranges;
  ranges.reserve(thread.collectives.size());
  for (const EventIndex event : thread.collectives) ranges.push_back(trace.events.range(event));
  const IntervalSet covered(std::move(ranges));
  return std::ranges::all_of(thread.runs, [&](TimeRange run) {
    // Holes that do not end a run are no work.
    return run.length() - covered.coveredWithin(run) < kRunHole;
  });
}

} // namespace

GraphThreads graphThreads(const RankTrace& trace, const StringTable& names, const HostThreads& host,
                          const std::vector<EventIndex>& collectives) {
  GraphThreads result;
  std::vector<std::vector<EventIndex>> onThread(host.threads.size());
  for (const EventIndex event : collectives) {
    const std::size_t thread = host.ofTrack[trace.trackOf(event).value];
    if (thread != HostThreads::kNone) onThread[thread].push_back(event);
  }
  ThreadReader reader(trace, names, !collectives.empty());
  for (std::size_t i = 0; i < host.threads.size(); ++i) {
    GraphThread thread;
    thread.thread = i;
    if (!reader.read(host.threads[i], thread, result) && onThread[i].empty()) continue;
    thread.collectives = std::move(onThread[i]);
    if (host.main == i)
      result.main = result.threads.size();
    else if (isBackend(thread, trace))
      thread.backend = true;
    // Between collectives it waits for the next.
    if (thread.backend) thread.runs.clear();
    result.threads.push_back(std::move(thread));
  }
  std::ranges::sort(result.outermost);
  return result;
}

} // namespace rankscope
