// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/call_tree.h"

#include "core/base/hash.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

bool isHostTrack(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread || kind == TrackKind::Python;
}

// Among equal ranges, the kind with the lower value is outside.
int depthOfKind(EventKind kind) {
  if (kind == EventKind::Python) return 0;
  return kind == EventKind::Annotation ? 1 : 2;
}

struct NodeKey {
  std::uint32_t parent;
  std::uint32_t name;
  EventKind kind;
  bool operator==(const NodeKey&) const = default;
};

struct NodeKeyHash {
  std::size_t operator()(const NodeKey& key) const {
    return static_cast<std::size_t>(hashOf(key.parent, key.name, key.kind));
  }
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const RankTrace& trace) : m_trace(trace) {
    m_tree.nodes.emplace_back();
    std::uint32_t end = 0;
    for (const Track& track : trace.tracks) {
      if (isHostTrack(track.kind)) end = std::max(end, track.endEvent.value);
    }
    m_tree.nodeOf.assign(end, CallTree::kRoot);
  }

  // Adds all events of one thread, from all its tracks.
  void addThread(const std::vector<const Track*>& tracks) {
    m_events.clear();
    for (const Track* track : tracks) {
      for (EventIndex event = track->firstEvent; event < track->endEvent; ++event.value)
        m_events.push_back(event);
    }
    sortRuns(m_events, [this](EventIndex a, EventIndex b) { return isOutside(a, b); });
    m_open.clear();
    for (const EventIndex event : m_events) add(event);
  }

  [[nodiscard]] CallTree take() { return std::move(m_tree); }

 private:
  struct Open {
    TimeNs end;
    std::uint32_t node;
  };

  [[nodiscard]] bool isOutside(EventIndex a, EventIndex b) const {
    const EventColumns& events = m_trace.events;
    if (events.begin[a] != events.begin[b]) return events.begin[a] < events.begin[b];
    if (events.duration[a] != events.duration[b]) return events.duration[a] > events.duration[b];
    const int depthA = depthOfKind(events.kind[a]);
    const int depthB = depthOfKind(events.kind[b]);
    return depthA != depthB ? depthA < depthB : a < b;
  }

  // Ends of open events descend toward the innermost. An open event that ends before this event does cannot
  // contain later events that are not in this one, so it is closed.
  void add(EventIndex event) {
    const TimeRange range = m_trace.events.range(event);
    const bool isRuntime = m_trace.events.kind[event] == EventKind::Runtime;
    while (!m_open.empty() &&
           (m_open.back().end <= range.begin || (!isRuntime && m_open.back().end < range.end)))
      m_open.pop_back();
    const std::uint32_t node = nodeBelow(m_open.empty() ? CallTree::kRoot : m_open.back().node, event);
    m_tree.nodeOf[event.value] = node;
    if (isRuntime && !m_open.empty() && m_open.back().end < range.end) return;
    if (!m_open.empty() && m_open.back().end == range.end) m_open.pop_back();
    m_open.push_back({range.end, node});
  }

  [[nodiscard]] std::uint32_t nodeBelow(std::uint32_t parent, EventIndex event) {
    const NameId name = m_trace.events.name[event];
    const EventKind kind = m_trace.events.kind[event];
    const auto next = static_cast<std::uint32_t>(m_tree.nodes.size());
    const auto [place, isNew] = m_ids.try_emplace({parent, name.value, kind}, next);
    if (isNew) m_tree.nodes.push_back({parent, name, kind});
    return place->second;
  }

  const RankTrace& m_trace;
  CallTree m_tree;
  std::unordered_map<NodeKey, std::uint32_t, NodeKeyHash> m_ids;
  std::vector<EventIndex> m_events; // of one thread, outer events first
  std::vector<Open> m_open;         // innermost last
};

} // namespace

CallTree callTree(const RankTrace& trace) {
  using Thread = std::pair<std::string_view, std::string_view>;
  std::vector<std::vector<const Track*>> threads; // in the order of their first tracks
  std::map<Thread, std::size_t> placeOf;
  for (const Track& track : trace.tracks) {
    if (!isHostTrack(track.kind)) continue;
    const auto [place, isNew] = placeOf.try_emplace({track.process, track.thread}, threads.size());
    if (isNew) threads.emplace_back();
    threads[place->second].push_back(&track);
  }
  TreeBuilder builder(trace);
  for (const std::vector<const Track*>& tracks : threads) builder.addThread(tracks);
  return builder.take();
}

} // namespace rankscope
