// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/call_nesting.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

bool isHostTrack(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread || kind == TrackKind::Python;
}

class CallSweep {
 public:
  explicit CallSweep(const RankTrace& trace) : m_trace(trace) {
    std::uint32_t end = 0;
    std::size_t count = 0;
    for (const Track& track : trace.tracks) {
      if (!isHostTrack(track.kind)) continue;
      end = std::max(end, track.endEvent.value);
      count += track.endEvent.value - track.firstEvent.value;
    }
    m_result.parent.resize(end);
    m_result.calls.reserve(count);
    m_result.own.reserve(count);
  }

  void addThread(const std::vector<TrackIndex>& tracks) {
    NestedThread thread{tracks.front(), m_result.calls.size(), 0, m_result.own.size(), 0};
    for (const TrackIndex index : tracks) {
      const Track& track = m_trace.tracks[index.value];
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (isHostCall(m_trace.events.kind[event])) m_result.calls.push_back(event);
      }
    }
    const auto begin = m_result.calls.begin() + static_cast<std::ptrdiff_t>(thread.first);
    std::sort(begin, m_result.calls.end(), [this](EventIndex a, EventIndex b) { return isOutside(a, b); });
    thread.end = m_result.calls.size();
    const std::span<const EventIndex> calls = std::span(m_result.calls).subspan(thread.first);
    findParents(calls);
    findOwnTimes(calls);
    thread.endOwn = m_result.own.size();
    if (thread.first < thread.end) m_result.threads.push_back(thread);
  }

  [[nodiscard]] CallNesting take() { return std::move(m_result); }

 private:
  [[nodiscard]] bool isOutside(EventIndex a, EventIndex b) const {
    const EventColumns& events = m_trace.events;
    if (events.begin[a] != events.begin[b]) return events.begin[a] < events.begin[b];
    if (events.duration[a] != events.duration[b]) return events.duration[a] > events.duration[b];
    return events.source[a] < events.source[b];
  }

  // What ends before an event that begins after it can contain nothing that comes later and is not in that
  // event too.
  void findParents(std::span<const EventIndex> calls) {
    m_open.clear();
    for (const EventIndex event : calls) {
      const TimeRange range = m_trace.events.range(event);
      while (!m_open.empty() && !contains(m_trace.events.range(m_open.back()), range)) m_open.pop_back();
      if (!m_open.empty()) m_result.parent[event.value] = m_open.back();
      m_open.push_back(event);
    }
  }
  static bool contains(TimeRange outer, TimeRange range) {
    if (outer.end < range.end) return false;
    // An event without a duration lies within what ends there only if that has no duration either.
    return outer.end > range.begin || (outer.begin == range.begin && outer.end == range.end);
  }

  void findOwnTimes(std::span<const EventIndex> calls) {
    m_open.clear();
    TimeNs at = 0;
    for (const EventIndex event : calls) {
      const TimeNs begin = m_trace.events.begin[event];
      giveUntil(begin, at);
      at = begin;
      m_open.push_back(event);
    }
    giveUntil(kAllTime.end, at);
  }
  // The time from `at` on goes to the last begun that is open still.
  void giveUntil(TimeNs until, TimeNs at) {
    while (!m_open.empty() && at < until) {
      const TimeNs end = m_trace.events.range(m_open.back()).end;
      if (end > at) {
        give({at, std::min(end, until)}, m_open.back());
        at = std::min(end, until);
      }
      if (end <= at) m_open.pop_back();
    }
  }
  void give(TimeRange range, EventIndex event) {
    if (!m_result.own.empty() && m_result.own.back().event == event &&
        m_result.own.back().range.end == range.begin)
      m_result.own.back().range.end = range.end;
    else
      m_result.own.push_back({range, event});
  }

  const RankTrace& m_trace;
  CallNesting m_result;
  std::vector<EventIndex> m_open; // in order of their begins
};

} // namespace

bool isHostCall(EventKind kind) {
  return kind == EventKind::CpuOp || kind == EventKind::HostCollective || kind == EventKind::Runtime ||
         kind == EventKind::Annotation || kind == EventKind::Python;
}

CallNesting callNesting(const RankTrace& trace) {
  using Thread = std::pair<std::string_view, std::string_view>;
  std::vector<std::vector<TrackIndex>> threads; // in the order of their first tracks
  std::map<Thread, std::size_t> placeOf;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (!isHostTrack(track.kind)) continue;
    const auto [place, isNew] = placeOf.try_emplace({track.process, track.thread}, threads.size());
    if (isNew) threads.emplace_back();
    threads[place->second].push_back(TrackIndex(i));
  }
  CallSweep sweep(trace);
  for (const std::vector<TrackIndex>& tracks : threads) sweep.addThread(tracks);
  return sweep.take();
}

} // namespace rankscope
