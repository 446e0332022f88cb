// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/rank_stacks.h"

#include "core/analysis/activity/owned_time.h"
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/stacks/backward_joins.h"
#include "core/analysis/stacks/host_stacks.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace rankscope {

namespace {

// The least correlation of a launch that was recorded, by device.
std::map<std::int32_t, std::uint32_t> firstLaunches(const RankTrace& trace) {
  std::map<std::int32_t, std::uint32_t> first;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const DeviceDetail& detail = trace.deviceDetail(event);
    const std::uint32_t link = trace.events.link[event];
    if (!detail.launch.valid() || link == 0) continue;
    const auto [place, isNew] = first.try_emplace(detail.device, link);
    if (!isNew) place->second = std::min(place->second, link);
  }
  return first;
}

class StackBuilder {
 public:
  StackBuilder(const Analysis& analysis, RankIndex rank, const StackOptions& options)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_names(analysis.trace().names()), m_options(options), m_calls(callNesting(m_trace)),
        m_base(baseNode()), m_host(m_trace, m_names, m_calls, joinsOf(analysis.trace().rank(rank)), m_options,
                                   m_stacks.tree, m_base),
        m_firstLaunches(firstLaunches(m_trace)) {
    m_stacks.joinedBackward = m_host.joinedBackward();
    m_stacks.looseBackward = m_host.looseBackward();
  }

  void add(StackWeight weight) {
    switch (weight) {
    case StackWeight::HostSelf:
      addHostTimes();
      break;
    case StackWeight::Device:
    case StackWeight::Launches:
      addDeviceEvents(weight);
      break;
    case StackWeight::DeviceExclusive:
      addExclusive();
      break;
    case StackWeight::Exposed:
      if (m_trace.hasDeviceEvents())
        addExposed();
      else
        addExposedOnHost();
      break;
    case StackWeight::Idle:
      addIdle();
      break;
    case StackWeight::Wait:
      addWaits();
      break;
    case StackWeight::Bytes:
    case StackWeight::NetBytes:
      addBytes(weight == StackWeight::NetBytes);
      break;
    case StackWeight::Calls:
      addCalls();
      break;
    }
    endRun();
  }

  [[nodiscard]] RankStacks take() {
    m_stacks.addUp();
    return std::move(m_stacks);
  }

 private:
  [[nodiscard]] std::vector<EventFlow> joinsOf(const RankEntry& rank) const {
    return m_options.joinBackward ? backwardJoins(rank, m_names, m_calls) : std::vector<EventFlow>();
  }
  [[nodiscard]] std::uint32_t baseNode() {
    if (!m_options.byRank) return StackTree::kRoot;
    const RankEntry& entry = m_analysis.trace().rank(m_rank);
    std::string text = "rank " + std::to_string(entry.rank);
    if (m_analysis.trace().severalCaptures()) text += ", capture " + std::to_string(entry.capture);
    return m_stacks.tree.below(StackTree::kRoot, text, FrameKind::Place);
  }

  void put(TimeNs begin, std::int64_t amount, std::uint32_t node, EventIndex event, bool first = true) {
    if (amount != 0) m_run.push_back({begin, amount, m_host.leafOf(node), event, first});
  }
  void endRun() {
    m_stacks.addRun(m_run);
    m_run.clear();
  }
  // The last run in order of time.
  void sortRun() {
    std::ranges::stable_sort(m_run, {}, &StackEntry::begin);
    endRun();
  }

  void addHostTimes() {
    m_stacks.cut = true;
    std::vector<std::uint8_t> seen(m_calls.parent.size());
    for (const NestedThread& thread : m_calls.threads) {
      for (std::size_t i = thread.firstOwn; i < thread.endOwn; ++i) {
        const OwnTime& own = m_calls.own[i];
        // A call without a frame is no call of the frame that has its time.
        const bool first = seen[own.event.value] == 0 && m_host.isShownCall(own.event);
        seen[own.event.value] = 1;
        put(own.range.begin, own.range.length(), m_host.nodeOf(own.event), own.event, first);
      }
      endRun();
    }
  }

  // What a device event lies below: the frames around the call that launched it. A replayed graph is that
  // call.
  [[nodiscard]] std::uint32_t launchNode(EventIndex event) {
    const DeviceDetail& detail = m_trace.deviceDetail(event);
    if (!detail.launch.valid()) return missingLaunchNode(event);
    const bool isGraph = m_options.nameLaunches && isGraphLaunch(m_names[m_trace.events.name[detail.launch]]);
    const EventIndex around = isGraph ? detail.launch : m_calls.parentOf(detail.launch);
    if (!around.valid()) return m_stacks.tree.below(m_base, "[no operator]", FrameKind::Group);
    return m_host.nodeOf(around);
  }
  [[nodiscard]] std::uint32_t missingLaunchNode(EventIndex event) {
    const auto first = m_firstLaunches.find(m_trace.deviceDetail(event).device);
    const std::uint32_t link = m_trace.events.link[event];
    const bool early =
        m_options.nameLaunches && first != m_firstLaunches.end() && link != 0 && link < first->second;
    return m_stacks.tree.below(m_base, early ? "[launched before recording]" : "[no launch recorded]",
                               FrameKind::Group);
  }
  [[nodiscard]] std::uint32_t deviceNode(EventIndex event) {
    return m_host.below(launchNode(event), m_trace.events.kind[event], m_trace.events.name[event]);
  }

  void addDeviceEvents(StackWeight weight) {
    const bool launches = weight == StackWeight::Launches;
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      if (launches && !m_trace.deviceDetail(event).launch.valid()) continue;
      put(m_trace.events.begin[event], launches ? 1 : m_trace.events.duration[event], deviceNode(event),
          event);
    }
    sortRun();
  }

  void addExclusive() {
    m_stacks.cut = true;
    std::vector<OwnedTime> events;
    events.reserve(m_trace.deviceEnd.value - m_trace.deviceBegin.value);
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value)
      events.push_back({m_trace.events.range(event), event});
    for (const OwnedTime& owned : ownedTimesOf(std::move(events)))
      put(owned.range.begin, owned.range.length(), deviceNode(owned.event), owned.event);
  }

  void addExposed() {
    m_stacks.cut = true;
    const IntervalSet& compute = m_analysis.wholeActivity(m_rank).compute;
    for (const OwnedTime& owned : ownedTimes(m_trace).communication) {
      const std::uint32_t node = deviceNode(owned.event);
      bool first = true;
      compute.forEachGap(owned.range, [&](TimeRange part) {
        put(part.begin, part.length(), node, owned.event, std::exchange(first, false));
      });
    }
  }

  void addExposedOnHost() {
    m_stacks.cut = true;
    std::vector<OwnedTime> events;
    for (const EventIndex call : m_calls.calls) {
      if (m_trace.events.kind[call] == EventKind::HostCollective)
        events.push_back({m_trace.events.range(call), call});
    }
    const std::vector<OwnedTime> owners = ownedTimesOf(std::move(events));
    std::size_t at = 0;
    for (const TimeRange exposed : m_analysis.exposedCommunication(m_rank).ranges()) {
      while (at < owners.size() && owners[at].range.end <= exposed.begin) ++at;
      TimeNs from = exposed.begin;
      for (std::size_t i = at; i < owners.size() && owners[i].range.begin < exposed.end; ++i) {
        const TimeRange part = owners[i].range.clippedTo({from, exposed.end});
        if (part.empty()) continue;
        putNoOwner({from, part.begin}, "[no collective]");
        put(part.begin, part.length(), m_host.nodeOf(owners[i].event), owners[i].event);
        from = part.end;
      }
      putNoOwner({from, exposed.end}, "[no collective]");
    }
  }
  void putNoOwner(TimeRange range, std::string_view frame) {
    if (!range.empty())
      put(range.begin, range.length(), m_stacks.tree.below(m_base, frame, FrameKind::Idle), {});
  }

  void addIdle() {
    m_stacks.cut = true;
    const DeviceActivity& activity = m_analysis.wholeActivity(m_rank);
    if (activity.busy.empty()) return;
    const std::vector<IdleGap> gaps = wholeGaps();
    std::size_t at = 0;
    activity.busy.forEachGap(m_trace.extent.unitedWith(activity.span), [&](TimeRange range) {
      while (at < gaps.size() && gaps[at].range.end <= range.begin) ++at;
      const IdleGap* best = nullptr;
      for (std::size_t i = at; i < gaps.size() && gaps[i].range.begin <= range.begin; ++i) {
        const bool holds = gaps[i].range.end >= range.end;
        if (holds && (best == nullptr || gaps[i].range.length() < best->range.length())) best = &gaps[i];
      }
      put(range.begin, range.length(), idleNode(best, range, activity.span),
          best != nullptr ? best->hostEvent : EventIndex());
    });
  }
  // Of all devices, by begin.
  [[nodiscard]] std::vector<IdleGap> wholeGaps() const {
    std::vector<IdleGap> gaps = idleGaps(m_trace, m_names, m_analysis.wholeStepWindows(m_rank)).ofDevices;
    std::ranges::stable_sort(gaps, {}, [](const IdleGap& gap) { return gap.range.begin; });
    return gaps;
  }
  [[nodiscard]] std::uint32_t idleNode(const IdleGap* gap, TimeRange range, TimeRange span) {
    if (gap == nullptr) {
      const bool outside = range.end <= span.begin || range.begin >= span.end;
      return m_stacks.tree.below(
          m_base, outside ? "[before first or after last device work]" : "[gap under 5 us]", FrameKind::Idle);
    }
    std::string cause = "[";
    cause += gapCauseText(gap->cause);
    cause += "]";
    const std::uint32_t node = gap->hostEvent.valid() ? m_host.nodeOf(gap->hostEvent) : m_base;
    return m_stacks.tree.below(node, cause, FrameKind::Idle);
  }

  // At the event by which the rank joined: of device events, what launched them.
  void addWaits() {
    const CollectiveMatch& match = m_analysis.collectives().match;
    if (m_rank.value >= match.instanceOfEvent.size()) return;
    std::map<InstanceIndex, EventIndex> joined;
    for (const auto& [event, index] : match.instanceOfEvent[m_rank.value]) {
      if (match.instance(index).lastRank != m_rank) continue;
      const auto [place, isNew] = joined.try_emplace(index, event);
      if (!isNew && m_trace.isDeviceEvent(event) && !m_trace.isDeviceEvent(place->second))
        place->second = event;
    }
    for (const auto& [index, event] : joined) {
      std::int64_t waited = 0;
      for (const Participant& participant : match.of(match.instance(index)))
        waited += participant.rank == m_rank ? 0 : participant.wait;
      const std::uint32_t node = m_trace.isDeviceEvent(event) ? deviceNode(event) : m_host.nodeOf(event);
      if (waited > 0) put(m_trace.events.begin[event], waited, node, event);
    }
    sortRun();
  }

  void addBytes(bool net) {
    std::map<std::pair<std::string_view, std::string_view>, const NestedThread*> threads;
    for (const NestedThread& thread : m_calls.threads) {
      const Track& track = m_trace.tracks[thread.track.value];
      threads[{track.process, track.thread}] = &thread;
    }
    for (const MemoryEvent& memory : m_trace.memory) {
      if (!net && memory.bytes <= 0) continue;
      EventIndex call;
      if (memory.event.valid()) {
        const Track& track = m_trace.tracks[m_trace.trackOf(memory.event).value];
        const auto thread = threads.find({track.process, track.thread});
        if (thread != threads.end()) call = callAt(*thread->second, memory.time);
      }
      put(memory.time, memory.bytes, memoryNode(call, memory), memory.event);
    }
    sortRun();
  }
  // The innermost call of the thread at a time; invalid where there is none.
  [[nodiscard]] EventIndex callAt(const NestedThread& thread, TimeNs time) const {
    const std::span<const OwnTime> own =
        std::span(m_calls.own).subspan(thread.firstOwn, thread.endOwn - thread.firstOwn);
    const auto after =
        std::ranges::upper_bound(own, time, {}, [](const OwnTime& o) { return o.range.begin; });
    if (after == own.begin()) return {};
    const OwnTime& last = *std::prev(after);
    return last.range.contains(time) ? last.event : EventIndex();
  }
  [[nodiscard]] std::uint32_t memoryNode(EventIndex call, const MemoryEvent& memory) {
    const std::uint32_t node =
        call.valid() ? m_host.nodeOf(call) : m_stacks.tree.below(m_base, "[no operator]", FrameKind::Group);
    std::string text = "[CPU memory]";
    if (memory.deviceType != 0) text = "[GPU " + std::to_string(memory.device) + " memory]";
    return m_stacks.tree.below(node, text, FrameKind::Memory);
  }

  void addCalls() {
    for (const NestedThread& thread : m_calls.threads) {
      for (std::size_t i = thread.first; i < thread.end; ++i) {
        const EventIndex call = m_calls.calls[i];
        put(m_trace.events.begin[call], 1, m_host.nodeOf(call), call);
      }
      endRun();
    }
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value)
      put(m_trace.events.begin[event], 1, deviceNode(event), event);
    sortRun();
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const StackOptions& m_options;
  RankStacks m_stacks;
  std::vector<StackEntry> m_run; // that is being made
  CallNesting m_calls;
  std::uint32_t m_base;
  HostStacks m_host;
  std::map<std::int32_t, std::uint32_t> m_firstLaunches;
};

} // namespace

void RankStacks::addRun(std::span<const StackEntry> run) {
  if (run.empty()) return;
  for (const StackEntry& entry : run) {
    m_begins.push_back(entry.begin);
    m_amounts.push_back(entry.amount);
    m_nodes.push_back(entry.node | (entry.first ? kFirst : 0));
    m_events.push_back(entry.event);
  }
  m_runs.push_back(m_begins.size());
}

void RankStacks::addUp() {
  m_all.assign(tree.size(), {});
  addEntries(0, size(), 1, m_all);
}

RankStacks::Part RankStacks::partOf(std::size_t run, TimeRange window) const {
  const auto begin = m_begins.begin() + static_cast<std::ptrdiff_t>(m_runs[run]);
  const auto end = m_begins.begin() + static_cast<std::ptrdiff_t>(m_runs[run + 1]);
  const auto first = std::lower_bound(begin, end, window.begin);
  const auto last = std::lower_bound(first, end, window.end);
  Part part{static_cast<std::size_t>(first - m_begins.begin()),
            static_cast<std::size_t>(last - m_begins.begin()), false};
  if (cut && first != begin && !window.empty()) {
    const std::size_t before = part.first - 1;
    part.reaching = m_begins[before] + m_amounts[before] > window.begin;
  }
  return part;
}

void RankStacks::addEntries(std::size_t from, std::size_t to, std::int64_t sign, StackSums& sums) const {
  for (std::size_t i = from; i < to; ++i) {
    StackSum& sum = sums[m_nodes[i] & ~kFirst];
    sum.weight += sign * m_amounts[i];
    sum.count += sign * (m_nodes[i] >> 31U);
  }
}

StackSums RankStacks::sums(TimeRange window) const {
  std::vector<Part> parts;
  parts.reserve(m_runs.size());
  std::size_t inside = 0;
  for (std::size_t run = 0; run + 1 < m_runs.size(); ++run) {
    parts.push_back(partOf(run, window));
    inside += parts.back().end - parts.back().first;
  }
  const bool most = inside > size() / 2;
  StackSums sums = most ? m_all : StackSums(tree.size());
  for (std::size_t run = 0; run < parts.size(); ++run) {
    const Part& part = parts[run];
    if (most) {
      addEntries(m_runs[run], part.first, -1, sums);
      addEntries(part.end, m_runs[run + 1], -1, sums);
    } else {
      addEntries(part.first, part.end, 1, sums);
    }
    if (!cut || window.empty()) continue;
    // What begins before the window, and what of the last entry lies behind it.
    if (part.reaching) {
      const TimeRange range{m_begins[part.first - 1], m_begins[part.first - 1] + m_amounts[part.first - 1]};
      sums[m_nodes[part.first - 1] & ~kFirst].weight += range.clippedTo(window).length();
    }
    if (part.first == part.end) continue;
    const std::size_t last = part.end - 1;
    const TimeNs end = m_begins[last] + m_amounts[last];
    if (end > window.end) sums[m_nodes[last] & ~kFirst].weight -= end - window.end;
  }
  return sums;
}

RankStacks rankStacks(const Analysis& analysis, RankIndex rank, StackWeight weight,
                      const StackOptions& options) {
  StackBuilder builder(analysis, rank, options);
  builder.add(weight);
  return builder.take();
}

TimeRange stackWindow(const Analysis& analysis, RankIndex rank, StackWeight weight) {
  return weight == StackWeight::Idle ? analysis.activity(rank).span : analysis.window(rank).ns();
}

} // namespace rankscope
