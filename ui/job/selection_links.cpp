// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/selection_links.h"

#include "ui/job/job_highlights.h"

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

class LinkFinder {
 public:
  LinkFinder(const TraceSet& traces, const JobHighlights* highlights, EventRef selected, bool isQuick)
      : m_names(traces.names()), m_trace(*traces.rank(selected.rank).trace), m_highlights(highlights),
        m_selected(selected), m_isQuick(isQuick) {}

  std::vector<SelectionLink> find() {
    const EventIndex event = m_selected.event;
    switch (m_trace.events.kind[event]) {
    case EventKind::Kernel:
    case EventKind::Collective:
    case EventKind::Copy:
    case EventKind::Set:
      ofDeviceEvent(event);
      break;
    case EventKind::Runtime:
      ofCall(event);
      break;
    case EventKind::Python:
      ofFrame(event);
      break;
    case EventKind::Sync:
      addWaits(event);
      break;
    default:
      if (!m_trace.isDeviceEvent(event)) ofOperator(event);
      break;
    }
    return std::move(m_links);
  }

 private:
  void add(LinkKind kind, EventIndex from, EventIndex to) {
    if (!from.valid() || !to.valid() || m_links.size() >= kMaxLinks) return;
    const SelectionLink link{kind, {m_selected.rank, from}, {m_selected.rank, to}};
    if (std::ranges::find(m_links, link) == m_links.end()) m_links.push_back(link);
  }

  void ofDeviceEvent(EventIndex event) {
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    add(LinkKind::Launch, launch, event);
    addWaits(event);
    add(LinkKind::Wait, waitedFor(event), event);
    if (launch.valid()) aroundCall(launch);
  }

  void ofCall(EventIndex call) {
    for (const EventIndex launched : m_trace.launchedBy(call)) add(LinkKind::Launch, call, launched);
    addWaits(call);
    // If the awaited work is not recorded, it is the work that ended last.
    if (std::ranges::find(m_links, LinkKind::Wait, &SelectionLink::kind) == m_links.end())
      add(LinkKind::Wait, lastEndedWithin(call), call);
    aroundCall(call);
  }

  // Waits for a CUDA event, from the work on either side, from the wait's row, or from one of its calls.
  void addWaits(EventIndex event) {
    for (const EventWait& wait : m_trace.waitsOf(event)) {
      const bool recordsOnly = wait.record == wait.call;
      if (event == wait.after) {
        add(LinkKind::Wait, wait.before, event);
        add(LinkKind::Event, wait.sync, event);
      } else if (event == wait.before) {
        if (!recordsOnly) add(LinkKind::Wait, event, wait.after.valid() ? wait.after : wait.call);
        add(LinkKind::Event, event, wait.sync);
      } else if (event == wait.sync) {
        add(recordsOnly ? LinkKind::Event : LinkKind::Wait, wait.before, event);
        add(LinkKind::Wait, event, wait.after);
        if (!recordsOnly) add(LinkKind::Event, wait.record, event);
        add(LinkKind::Launch, wait.call, event);
      } else if (event == wait.call) {
        add(recordsOnly ? LinkKind::Event : LinkKind::Wait, wait.before, event);
        if (!recordsOnly) add(LinkKind::Event, wait.record, event);
        add(LinkKind::Wait, event, wait.after);
        add(LinkKind::Launch, event, wait.sync);
      } else { // the call that recorded the CUDA event
        add(LinkKind::Event, wait.before, event);
        add(LinkKind::Event, event, wait.sync);
        add(LinkKind::Event, event, wait.call);
      }
    }
  }

  void ofOperator(EventIndex event) {
    addLaunches(event);
    addArrows(event);
    add(LinkKind::Python, frameAround(event), event);
  }

  // Links a frame to the first operator on its thread.
  void ofFrame(EventIndex frame) {
    const TimeRange range = m_trace.events.range(frame);
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread || !isSameThread(track, frame) || track.rowCount == 0) continue;
      const Row& row = m_trace.rows[track.firstRow.value];
      const auto begins = m_trace.events.begin.span().subspan(row.firstEvent.value, row.size());
      const auto at = std::ranges::lower_bound(begins, range.begin) - begins.begin();
      const EventIndex first(row.firstEvent.value + static_cast<std::size_t>(at));
      if (first < row.endEvent && range.contains(m_trace.events.begin[first]))
        return add(LinkKind::Python, frame, first);
    }
  }

  void aroundCall(EventIndex call) {
    EventIndex caller = m_trace.parentOf(call);
    while (caller.valid() && m_trace.events.kind[caller] == EventKind::Runtime)
      caller = m_trace.parentOf(caller);
    add(LinkKind::Caller, caller, call);
    if (caller.valid()) addArrowsTo(caller);
    const EventIndex inner = caller.valid() ? caller : call;
    add(LinkKind::Python, frameAround(inner), inner);
  }

  // The launches within an operator with their device events; the first one is followed by default.
  void addLaunches(EventIndex event) {
    const TimeRange range = m_trace.events.range(event);
    const RowIndex row = m_trace.rowOf(event);
    const Track& track = m_trace.tracks[m_trace.rows[row.value].track.value];
    std::vector<std::pair<EventIndex, EventIndex>> launches;
    for (RowIndex below(row.value + std::size_t{1}); below.value < track.firstRow.value + track.rowCount;
         ++below.value) {
      EventIndex call = m_trace.lastBeginningBy(below, range.begin - 1);
      call = call.valid() ? EventIndex(call.value + std::size_t{1}) : m_trace.rows[below.value].firstEvent;
      const EventIndex last = m_trace.lastBeginningBy(below, range.end - 1);
      if (!last.valid()) continue;
      // Only calls with launches are visited, not all events within.
      auto launched = std::ranges::lower_bound(
          m_trace.byLaunch, call, {}, [&](EventIndex device) { return m_trace.deviceDetail(device).launch; });
      std::size_t ofRow = 0;
      for (; launched != m_trace.byLaunch.end() && ofRow < kMaxLinks; ++launched, ++ofRow) {
        const EventIndex by = m_trace.deviceDetail(*launched).launch;
        if (by > last) break;
        launches.emplace_back(by, *launched);
      }
    }
    std::ranges::sort(launches, {},
                      [&](const auto& l) { return std::pair(m_trace.events.begin[l.first], l); });
    if (!launches.empty()) add(LinkKind::Caller, event, launches.front().first);
    for (const auto& [call, device] : launches) add(LinkKind::Launch, call, device);
  }

  void addArrows(EventIndex event) {
    for (const EventFlow& flow :
         std::ranges::equal_range(m_trace.forwardBackward, event, {}, &EventFlow::from))
      add(LinkKind::Backward, flow.from, flow.to);
    addArrowsTo(event);
  }

  void addArrowsTo(EventIndex event) {
    if (m_isQuick) return;
    for (const EventFlow& flow : m_trace.forwardBackward)
      if (flow.to == event) add(LinkKind::Backward, flow.from, flow.to);
  }

  [[nodiscard]] bool isSameThread(const Track& track, EventIndex event) const {
    const Track& own = m_trace.tracks[m_trace.trackOf(event).value];
    return track.thread == own.thread && track.process == own.process;
  }

  // The innermost Python frame on the event's thread at its begin.
  [[nodiscard]] EventIndex frameAround(EventIndex event) const {
    const TimeNs begin = m_trace.events.begin[event];
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Python || !isSameThread(track, event)) continue;
      for (std::uint32_t row = track.firstRow.value + track.rowCount; row-- > track.firstRow.value;) {
        const EventIndex frame = m_trace.lastBeginningBy(RowIndex(row), begin);
        if (frame.valid() && m_trace.events.range(frame).contains(begin)) return frame;
      }
    }
    return {};
  }

  // The awaited event of the gap before a device event, if the analysis found it.
  [[nodiscard]] EventIndex waitedFor(EventIndex event) const {
    if (!m_highlights) return {};
    const IdleGap* const gap = m_highlights->gapBefore({m_selected.rank, event});
    return gap ? gap->waitedFor : EventIndex();
  }

  // For a synchronizing call: the device work that ended last before it returned.
  [[nodiscard]] EventIndex lastEndedWithin(EventIndex call) const {
    const std::string_view name = m_names[m_trace.events.name[call]];
    if (name.find("Synchronize") == std::string_view::npos) return {};
    const TimeRange range = m_trace.events.range(call);
    EventIndex last;
    TimeNs end = range.begin;
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Stream) continue;
      for (std::uint32_t i = 0; i < track.rowCount; ++i) {
        const RowIndex row(track.firstRow.value + i);
        EventIndex event = m_trace.lastBeginningBy(row, range.end);
        if (!event.valid()) continue;
        const EventIndex first = m_trace.rows[row.value].firstEvent;
        if (m_trace.events.range(event).end > range.end) {
          if (event == first) continue;
          --event.value;
        }
        const TimeNs ended = m_trace.events.range(event).end;
        if (ended <= end || ended > range.end) continue;
        last = event;
        end = ended;
      }
    }
    return last;
  }

  const StringTable& m_names;
  const RankTrace& m_trace;
  const JobHighlights* m_highlights;
  EventRef m_selected;
  bool m_isQuick;
  std::vector<SelectionLink> m_links;
};

} // namespace

std::vector<SelectionLink> selectionLinks(const TraceSet& traces, const JobHighlights* highlights,
                                          EventRef selected) {
  if (!selected.valid()) return {};
  return LinkFinder(traces, highlights, selected, false).find();
}

std::vector<SelectionLink> quickLinks(const TraceSet& traces, const JobHighlights* highlights,
                                      EventRef selected) {
  if (!selected.valid()) return {};
  return LinkFinder(traces, highlights, selected, true).find();
}

} // namespace rankscope::ui
