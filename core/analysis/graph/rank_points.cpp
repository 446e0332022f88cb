// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/rank_points.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr TimeNs kMaxOverhead = 3'000;
constexpr TimeNs kWakeUp = 1'000'000;
constexpr TimeNs kWakeUpShare = 8;

// Of points of one time: those that close something come first, so that a chain reads as people would.
enum Order : std::uint8_t {
  kEnd,
  kLoadEnd,
  kStepMark,
  kLoadBegin,
  kRunBegin,
  kBegin,
  kRunEnd,
  kEmptyEnd,
  kStepEnd,
};

Order orderOf(GraphActivityKind kind, bool isEnd, bool empty) {
  switch (kind) {
  case GraphActivityKind::Load:
    return isEnd ? kLoadEnd : kLoadBegin;
  case GraphActivityKind::Run:
    return isEnd ? kRunEnd : kRunBegin;
  case GraphActivityKind::StepMark:
    return kStepMark;
  case GraphActivityKind::StepEnd:
    return kStepEnd;
  case GraphActivityKind::Device:
  case GraphActivityKind::Call:
  case GraphActivityKind::HostCollective:
  case GraphActivityKind::Join:
    break;
  }
  if (!isEnd) return kBegin;
  return empty ? kEmptyEnd : kEnd;
}

bool isWaitName(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kParts{
      "run_backward", "_engine_run_backward", "Work.wait", "synchronize",
      "queue.get",    "lock.acquire",         "select"};
  if (name == "wait" || name.ends_with(": wait")) return true;
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// The innermost event of the track that covers the range; invalid when none does.
EventIndex innermostOver(const RankTrace& trace, TrackIndex track, TimeRange range) {
  if (!track.valid()) return {};
  const Track& of = trace.tracks[track.value];
  EventIndex innermost;
  const std::uint32_t rows = std::min(of.rowCount, RankTrace::kMaxLevels);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const EventIndex event = trace.lastBeginningBy(RowIndex(of.firstRow.value + row), range.begin);
    if (!event.valid() || trace.events.range(event).end < range.end) continue;
    if (!innermost.valid() || trace.events.begin[event] >= trace.events.begin[innermost]) innermost = event;
  }
  return innermost;
}

std::vector<EventIndex> hostCollectives(const Analysis& analysis, RankIndex rank) {
  std::vector<EventIndex> events;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  if (trace.hasDeviceEvents()) return events;
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  events.reserve(calls.size());
  for (const CollectiveCall& call : calls) events.push_back(call.event);
  return events;
}

} // namespace

TimeNs longestWakeUp(TimeNs wait) {
  return std::max(kWakeUp, wait / kWakeUpShare);
}

RankPoints::RankPoints(const Analysis& analysis, RankIndex rank, RankGraph& result)
    : m_rank(rank), m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()),
      m_steps(analysis.wholeStepWindows(rank)), m_clock(analysis.clocks().of(rank)), m_result(result),
      m_host(hostThreads(m_trace, m_names)) {
  addThreads(hostCollectives(analysis, rank));
  linkBackends();
  endAtWaiters();
  addStreams();
  addSteps();
  std::ranges::sort(m_result.collectives);
}

TimeRange RankPoints::toJob(TimeRange own) const {
  return m_clock.toJob(RankRange::of(own)).ns();
}

std::uint32_t RankPoints::add(GraphActivityKind kind, std::uint32_t lane, EventIndex event,
                              TimeRange jobRange) {
  GraphActivity activity;
  activity.kind = kind;
  activity.lane = lane;
  activity.event = event;
  activity.rank = m_rank;
  if (event.valid()) activity.eventKind = m_trace.events.kind[event];
  m_result.activities.push_back(activity);
  m_times.push_back({jobRange.begin, std::max(jobRange.begin, jobRange.end)});
  m_roles.push_back(GraphCallRole::Other);
  return static_cast<std::uint32_t>(m_result.activities.size() - 1);
}

void RankPoints::addThreads(const std::vector<EventIndex>& collectives) {
  m_threads = graphThreads(m_trace, m_names, m_host, collectives);
  for (const GraphThread& thread : m_threads.threads) {
    GraphLane lane;
    lane.thread = thread.thread;
    lane.track = m_host.threads[thread.thread].operators;
    lane.python = m_host.threads[thread.thread].python;
    lane.backend = thread.backend;
    m_result.lanes.push_back(lane);
    m_awaits.emplace_back();
    addThread(thread, static_cast<std::uint32_t>(m_result.lanes.size() - 1));
  }
}

void RankPoints::addThread(const GraphThread& thread, std::uint32_t lane) {
  for (const GraphCall& call : thread.calls) {
    const TimeRange range = toJob(m_trace.events.range(call.event));
    m_roles[add(GraphActivityKind::Call, lane, call.event, range)] = call.role;
    if (call.role == GraphCallRole::AwaitEvent) m_awaits[lane].push_back(range.begin);
  }
  for (const EventIndex event : thread.collectives) {
    const std::uint32_t activity =
        add(GraphActivityKind::HostCollective, lane, event, toJob(m_trace.events.range(event)));
    m_result.collectives.emplace_back(event, activity);
  }
  for (const TimeRange load : thread.loads) add(GraphActivityKind::Load, lane, {}, toJob(load));
  for (const TimeRange run : thread.runs) add(GraphActivityKind::Run, lane, {}, toJob(run));
}

// Backends run collectives in the order in which they were started. Where the recording cut that order, the
// latest start before the begin counts.
void RankPoints::linkBackends() {
  std::vector<std::uint32_t> starts, started;
  for (std::uint32_t i = 0; i < m_result.activities.size(); ++i) {
    const GraphActivity& activity = m_result.activities[i];
    if (activity.kind == GraphActivityKind::Call && m_roles[i] == GraphCallRole::StartCollective)
      starts.push_back(i);
    else if (activity.kind == GraphActivityKind::HostCollective && m_result.lanes[activity.lane].backend)
      started.push_back(i);
  }
  const auto beginOf = [this](std::uint32_t activity) { return m_times[activity].begin; };
  std::ranges::stable_sort(starts, {}, beginOf);
  std::ranges::stable_sort(started, {}, beginOf);
  bool inOrder = starts.size() == started.size();
  for (std::size_t i = 0; i < started.size() && inOrder; ++i)
    inOrder = beginOf(starts[i]) <= beginOf(started[i]);
  for (std::size_t i = 0; i < started.size(); ++i) {
    const auto after = std::ranges::upper_bound(starts, beginOf(started[i]), {}, beginOf);
    if (inOrder)
      m_result.activities[started[i]].launch = starts[i];
    else if (after != starts.begin())
      m_result.activities[started[i]].launch = *(after - 1);
  }
}

// gloo lets those that wait go on before the end that it records. Where no other end explains that a thread
// went on, the collective ends there.
void RankPoints::endAtWaiters() {
  std::vector<std::uint32_t> collectives; // by end
  for (std::uint32_t i = 0; i < m_result.activities.size(); ++i) {
    if (m_result.activities[i].launch != kNoPoint &&
        m_result.activities[i].kind == GraphActivityKind::HostCollective)
      collectives.push_back(i);
  }
  if (collectives.empty()) return;
  const auto endOf = [this](std::uint32_t activity) { return m_times[activity].end; };
  std::ranges::stable_sort(collectives, {}, endOf);
  for (const GraphThread& thread : m_threads.threads) {
    for (std::size_t i = 1; i < thread.runs.size(); ++i) {
      const TimeRange hole{toJob(thread.runs[i - 1]).end, toJob(thread.runs[i]).begin};
      const auto after = std::ranges::upper_bound(collectives, hole.end, {}, endOf);
      if (after == collectives.end()) continue;
      const TimeNs longest = longestWakeUp(hole.length());
      if (after != collectives.begin() && endOf(*(after - 1)) > hole.begin &&
          hole.end - endOf(*(after - 1)) <= longest)
        continue;
      TimeRange& of = m_times[*after];
      if (of.begin < hole.begin && of.end - hole.end <= std::min(kWakeUp, hole.length() / kWakeUpShare))
        of.end = hole.end;
    }
  }
}

void RankPoints::addStreams() {
  // Calls, by event.
  std::unordered_map<std::uint32_t, std::uint32_t> callOf;
  for (std::uint32_t i = 0; i < m_result.activities.size(); ++i) {
    if (m_result.activities[i].kind == GraphActivityKind::Call)
      callOf.emplace(m_result.activities[i].event.value, i);
  }
  m_onStream.resize(m_result.lanes.size());
  for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
    const Track& track = m_trace.tracks[t];
    if (track.kind != TrackKind::Stream) continue;
    GraphLane lane;
    lane.device = true;
    lane.track = TrackIndex(t);
    std::vector<EventIndex> events;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) events.push_back(event);
    std::ranges::sort(events, [&](EventIndex a, EventIndex b) {
      return std::pair(m_trace.events.begin[a], a) < std::pair(m_trace.events.begin[b], b);
    });
    if (events.empty()) continue;
    lane.deviceIndex = m_trace.deviceDetail(events.front()).device;
    lane.stream = m_trace.deviceDetail(events.front()).stream;
    m_result.lanes.push_back(lane);
    m_awaits.emplace_back();
    std::vector<std::uint32_t>& onStream = m_onStream.emplace_back();
    onStream.reserve(events.size());
    for (const EventIndex event : events) {
      const std::uint32_t activity =
          add(GraphActivityKind::Device, static_cast<std::uint32_t>(m_result.lanes.size() - 1), event,
              toJob(m_trace.events.range(event)));
      onStream.push_back(activity);
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      const auto outermost = std::ranges::lower_bound(m_threads.outermost, launch, {},
                                                      &std::pair<EventIndex, EventIndex>::first);
      if (launch.valid() && outermost != m_threads.outermost.end() && outermost->first == launch) {
        const auto call = callOf.find(outermost->second.value);
        if (call != callOf.end()) m_result.activities[activity].launch = call->second;
      }
      if (m_trace.events.kind[event] == EventKind::Collective)
        m_result.collectives.emplace_back(event, activity);
    }
  }
}

// A step ends where its annotation does. A recording without steps goes on while devices work, not the
// thread.
TimeRange RankPoints::hostOf(const StepWindow& step, const GraphThread& main) const {
  TimeRange host = step.host;
  if (m_steps.areSteps()) return host;
  const HostThread& thread = m_host.threads[main.thread];
  TimeNs last = host.begin;
  for (const IntervalSet* of : {&thread.work, &thread.inPython})
    if (!of->empty()) last = std::max(last, of->hull().end);
  host.end = std::min(host.end, last);
  return host;
}

void RankPoints::addSteps() {
  m_result.stepEnds.assign(m_steps.steps.size(), kNoPoint);
  m_hostEnds.assign(m_steps.steps.size(), kNoPoint);
  std::uint32_t main = kNoPoint;
  if (m_threads.main != HostThreads::kNone)
    main = static_cast<std::uint32_t>(m_threads.main);
  else if (!m_threads.threads.empty())
    main = 0;
  for (std::size_t i = 0; i < m_steps.steps.size() && main != kNoPoint; ++i) {
    const TimeRange host = toJob(hostOf(m_steps.steps[i], m_threads.threads[main]));
    add(GraphActivityKind::StepMark, main, {}, {host.begin, host.begin});
    m_hostEnds[i] = add(GraphActivityKind::StepMark, main, {}, {host.end, host.end});
  }
  m_firstStepEnd = static_cast<std::uint32_t>(m_result.activities.size());
  for (const StepWindow& step : m_steps.steps) {
    const TimeRange range = toJob(step.range);
    add(GraphActivityKind::StepEnd, kNoPoint, {}, {range.end, range.end});
  }
}

std::vector<PointItem> RankPoints::items() const {
  std::vector<PointItem> items;
  items.reserve(2 * m_times.size());
  for (std::uint32_t i = 0; i < m_times.size(); ++i) {
    const GraphActivity& activity = m_result.activities[i];
    const bool onePoint =
        activity.kind == GraphActivityKind::StepMark || activity.kind == GraphActivityKind::StepEnd;
    items.push_back({m_times[i].begin, orderOf(activity.kind, false, false), false, i, activity.event});
    if (onePoint) continue;
    items.push_back(
        {m_times[i].end, orderOf(activity.kind, true, m_times[i].empty()), true, i, activity.event});
  }
  std::ranges::sort(items, [](const PointItem& a, const PointItem& b) {
    return std::tuple(a.time, a.order, a.event.value, a.activity, a.isEnd) <
           std::tuple(b.time, b.order, b.event.value, b.activity, b.isEnd);
  });
  return items;
}

std::vector<TimeNs> RankPoints::callOverheads() const {
  std::unordered_map<std::uint32_t, std::vector<TimeNs>> byName;
  for (std::uint32_t i = 0; i < m_times.size(); ++i) {
    const GraphActivity& activity = m_result.activities[i];
    if (activity.kind != GraphActivityKind::Call || m_times[i].length() > kMaxOverhead) continue;
    byName[m_trace.events.name[activity.event].value].push_back(m_times[i].length());
  }
  std::unordered_map<std::uint32_t, TimeNs> medians;
  for (auto& [name, durations] : byName) medians[name] = wholeMedian(std::move(durations));
  std::vector<TimeNs> overheads(m_times.size(), kMaxOverhead);
  for (std::uint32_t i = 0; i < m_times.size(); ++i) {
    const GraphActivity& activity = m_result.activities[i];
    if (activity.kind != GraphActivityKind::Call) continue;
    const auto found = medians.find(m_trace.events.name[activity.event].value);
    if (found != medians.end()) overheads[i] = found->second;
  }
  return overheads;
}

bool RankPoints::waitsForThread(std::uint32_t lane, TimeRange jobRange) const {
  const HostThread& thread = m_host.threads[m_result.lanes[lane].thread];
  const TimeRange own = m_clock.fromJob(JobRange::of(jobRange)).ns();
  for (const TrackIndex track : {thread.python, thread.annotations, thread.operators}) {
    const EventIndex event = innermostOver(m_trace, track, own);
    if (event.valid() && isWaitName(m_names[m_trace.events.name[event]])) return true;
  }
  return false;
}

std::size_t RankPoints::stepIndex(std::uint32_t stepEnd) const {
  return stepEnd - m_firstStepEnd;
}

GraphPoint RankPoints::hostEndOf(std::uint32_t stepEnd) const {
  const std::uint32_t mark = m_hostEnds[stepIndex(stepEnd)];
  return mark == kNoPoint ? kNoPoint : m_result.activities[mark].end;
}

bool RankPoints::isOfStep(std::uint32_t activity, const StepWindow& step) const {
  const std::uint32_t call = m_result.activities[activity].launch;
  if (call != kNoPoint) return toJob(step.host).contains(m_times[call].begin);
  return toJob(step.range).contains(m_times[activity].begin);
}

} // namespace rankscope
