// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/host_threads.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/sort_runs.h"
#include "core/index/interval_builder.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

std::uint8_t classAsNumber(std::string_view name) {
  return static_cast<std::uint8_t>(callClassOf(name));
}

std::uint8_t loadsData(std::string_view name) {
  return phaseOf(name) == Phase::DataLoader ? 1 : 0;
}

bool isHostTrack(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread || kind == TrackKind::Python;
}

class ThreadPass {
 public:
  ThreadPass(const RankTrace& trace, const StringTable& names)
      : m_trace(trace), m_callClass(names, &classAsNumber), m_loads(names, &loadsData) {}

  HostThreads threads() {
    HostThreads result;
    result.ofTrack.assign(m_trace.tracks.size(), HostThreads::kNone);
    const Track* previous = nullptr;
    for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
      const Track& track = m_trace.tracks[t];
      if (!isHostTrack(track.kind)) continue;
      // Tracks of a thread are adjacent.
      if (previous == nullptr || previous->process != track.process || previous->thread != track.thread) {
        if (previous != nullptr) finish(result.threads.back());
        result.threads.emplace_back().mainThread = track.mainThread;
        if (track.mainThread && result.main == HostThreads::kNone) result.main = result.threads.size() - 1;
      }
      previous = &track;
      result.ofTrack[t] = result.threads.size() - 1;
      add(TrackIndex(t), result.threads.back());
    }
    if (previous != nullptr) finish(result.threads.back());
    return result;
  }

 private:
  void add(TrackIndex index, HostThread& thread) {
    const Track& track = m_trace.tracks[index.value];
    m_cover.beginThread();
    switch (track.kind) {
    case TrackKind::Annotations:
      thread.annotations = index;
      forEachEvent(track, [&](EventIndex event) { addAnnotation(event); });
      break;
    case TrackKind::Thread:
      thread.operators = index;
      forEachEvent(track, [&](EventIndex event) { addCall(event); });
      thread.work = m_cover.take();
      break;
    default:
      thread.python = index;
      forEachEvent(track, [&](EventIndex event) { m_cover.add(m_trace.events.range(event)); });
      thread.inPython = m_cover.take();
      break;
    }
  }

  template <class Visit> void forEachEvent(const Track& track, Visit&& visit) {
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const Row& row = m_trace.rows[track.firstRow.value + r];
      m_cover.beginRow();
      for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) visit(event);
    }
  }

  void addAnnotation(EventIndex event) {
    if (m_trace.events.kind[event] == EventKind::Annotation && m_loads[m_trace.events.name[event]] != 0)
      m_loading.push_back(event);
  }

  void addCall(EventIndex event) {
    const EventKind kind = m_trace.events.kind[event];
    if (kind != EventKind::Runtime && kind != EventKind::CpuOp && kind != EventKind::HostCollective) return;
    m_cover.add(m_trace.events.range(event));
    if (kind != EventKind::Runtime) return;
    switch (static_cast<CallClass>(m_callClass[m_trace.events.name[event]])) {
    case CallClass::Synchronize:
      m_waiting.push_back(event);
      break;
    case CallClass::Copy:
      if (waitedForItsCopy(event)) m_waiting.push_back(event);
      break;
    case CallClass::Allocate:
      m_allocating.push_back(event);
      break;
    case CallClass::Other:
      break;
    }
  }

  bool waitedForItsCopy(EventIndex call) const {
    const std::span<const EventIndex> copies = m_trace.launchedBy(call);
    const TimeNs end = m_trace.events.range(call).end;
    return !copies.empty() && std::all_of(copies.begin(), copies.end(), [&](EventIndex copy) {
      return m_trace.events.range(copy).end <= end;
    });
  }

  void finish(HostThread& thread) {
    thread.waits = HostCalls(m_trace, std::exchange(m_waiting, {}));
    thread.allocations = HostCalls(m_trace, std::exchange(m_allocating, {}));
    thread.loads = HostCalls(m_trace, std::exchange(m_loading, {}));
  }

  const RankTrace& m_trace;
  NameMemory<std::uint8_t (*)(std::string_view)> m_callClass;
  NameMemory<std::uint8_t (*)(std::string_view)> m_loads;
  IntervalBuilder m_cover;
  std::vector<EventIndex> m_waiting; // events of the current thread, row by row
  std::vector<EventIndex> m_allocating;
  std::vector<EventIndex> m_loading;
};

} // namespace

HostCalls::HostCalls(const RankTrace& trace, std::vector<EventIndex> events) : m_events(std::move(events)) {
  sortRuns(m_events,
           [&](EventIndex a, EventIndex b) { return trace.events.begin[a] < trace.events.begin[b]; });
  std::vector<TimeRange> ranges;
  ranges.reserve(m_events.size());
  m_durations.reserve(m_events.size());
  for (const EventIndex event : m_events) {
    ranges.push_back(trace.events.range(event));
    m_durations.push_back(ranges.back().length());
    m_negativeEnds.push(-ranges.back().end);
  }
  m_longest = LongestPyramid(m_durations);
  m_cover = IntervalSet(std::move(ranges));
}

EventIndex HostCalls::longestCallIn(const RankTrace& trace, TimeRange range) const {
  const auto placeOf = [&](TimeNs time) {
    const auto at = std::partition_point(m_events.begin(), m_events.end(),
                                         [&](EventIndex event) { return trace.events.begin[event] < time; });
    return static_cast<std::size_t>(at - m_events.begin());
  };
  const std::size_t first = placeOf(range.begin), end = placeOf(range.end);
  EventIndex maximum;
  TimeNs longest = 0;
  const auto consider = [&](std::size_t place) {
    const TimeNs length = trace.events.range(m_events[place]).clippedTo(range).length();
    if (length <= longest) return;
    longest = length;
    maximum = m_events[place];
  };
  // Calls of a thread rarely overlap, so only the last one before the range can extend into it.
  if (first > 0) consider(first - 1);
  // The first call that extends beyond the range covers more of it than later ones.
  const std::size_t leaving = std::min(end, m_negativeEnds.firstUntil(first, -range.end - 1));
  if (first < leaving) consider(m_longest.longestIn(m_durations, first, leaving));
  if (leaving < end) consider(leaving);
  return maximum;
}

EventIndex HostCalls::runningAt(const RankTrace& trace, TimeNs t) const {
  const auto after = std::partition_point(m_events.begin(), m_events.end(),
                                          [&](EventIndex event) { return trace.events.begin[event] < t; });
  if (after == m_events.begin() || trace.events.range(*std::prev(after)).end < t) return {};
  return *std::prev(after);
}

HostThreads hostThreads(const RankTrace& trace, const StringTable& names) {
  return ThreadPass(trace, names).threads();
}

} // namespace rankscope
