// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/wait_rules.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr TimeNs kEventDistance = 15'000;   // from the end of what was waited for
constexpr TimeNs kAwaitedDistance = 30'000; // the same where a call asked for a wait
constexpr TimeNs kResourceBegin = 50'000;   // the other kernel began at most so long after the allowed time
constexpr TimeNs kResourceTail = 150'000;   // and ends at most so long after the begin
constexpr TimeNs kBackDistance = 60'000;    // from the device's end to the return of the call
constexpr TimeNs kBackSkew = 2'000;         // the device's end may seem to be after the return
constexpr TimeNs kCopySkew = 1'000;
constexpr TimeNs kShortCall = 3'000; // a call that did not wait
constexpr std::int64_t kFullQueue = 1'000;
constexpr std::size_t kLookBack = 64;

using Pair = std::pair<std::uint32_t, std::uint32_t>;

} // namespace

WaitRules::WaitRules(const RankTrace& trace, const RankPoints& points, const RankGraph& graph)
    : m_points(points), m_graph(graph), m_streams(graph.lanes.size()) {
  std::unordered_map<std::uint32_t, std::uint32_t> byEvent;
  std::vector<TimeNs> launches;
  for (std::uint32_t i = 0; i < graph.activities.size(); ++i) {
    const GraphActivity& activity = graph.activities[i];
    if (!trace.waits.empty() && activity.event.valid()) byEvent.emplace(activity.event.value, i);
    if (activity.launch != kNoPoint) m_launched.emplace_back(activity.launch, i);
    if (activity.kind == GraphActivityKind::Call && points.role(i) == GraphCallRole::Launch)
      launches.push_back(points.times(i).length());
  }
  std::ranges::sort(m_launched);
  if (!launches.empty()) m_medianLaunch = wholeMedian(std::move(launches));
  for (const EventWait& wait : trace.waits) {
    const auto before = wait.before.valid() ? byEvent.find(wait.before.value) : byEvent.end();
    if (before == byEvent.end()) continue;
    const EventIndex waiting = wait.after.valid() ? wait.after : wait.call;
    const auto found = waiting.valid() ? byEvent.find(waiting.value) : byEvent.end();
    if (found == byEvent.end()) continue;
    (wait.after.valid() ? m_recorded : m_recordedBack).emplace_back(found->second, before->second);
  }
  std::ranges::sort(m_recorded);
  std::ranges::sort(m_recordedBack);
}

void WaitRules::launchesBegin(std::uint32_t call) {
  for (auto at = std::ranges::lower_bound(m_launched, call, {}, &Pair::first);
       at != m_launched.end() && at->first == call; ++at)
    ++m_streams[m_graph.activities[at->second].lane].queued;
}

void WaitRules::beginsOnDevice(std::uint32_t activity) {
  Stream& stream = m_streams[m_graph.activities[activity].lane];
  stream.begun.push_back(activity);
  if (m_graph.activities[activity].launch != kNoPoint) --stream.queued;
}

std::uint32_t WaitRules::lastOn(std::uint32_t lane) const {
  const Stream& stream = m_streams[lane];
  return stream.begun.empty() ? kNoPoint : stream.begun.back();
}

std::vector<GraphPoint> WaitRules::recordedWaits(std::uint32_t activity) const {
  std::vector<GraphPoint> ends;
  for (auto at = std::ranges::lower_bound(m_recorded, activity, {}, &Pair::first);
       at != m_recorded.end() && at->first == activity; ++at) {
    const GraphPoint end = m_graph.activities[at->second].end;
    if (end != kNoPoint) ends.push_back(end);
  }
  return ends;
}

std::vector<GraphPoint> WaitRules::launchedBefore(std::uint32_t collective) const {
  const GraphActivity& of = m_graph.activities[collective];
  std::vector<GraphPoint> ends;
  if (of.eventKind != EventKind::Collective || of.launch == kNoPoint || !awaitsBetween(collective))
    return ends;
  const TimeNs called = m_points.times(of.launch).begin;
  const auto isBefore = [&](std::uint32_t activity) {
    const std::uint32_t launch = m_graph.activities[activity].launch;
    return m_points.times(launch != kNoPoint ? launch : activity).begin < called;
  };
  for (std::uint32_t lane = 0; lane < m_streams.size(); ++lane) {
    if (lane == of.lane || m_graph.lanes[lane].deviceIndex != m_graph.lanes[of.lane].deviceIndex) continue;
    const std::span<const std::uint32_t> launched = m_points.onStream(lane);
    const auto after = std::ranges::partition_point(launched, isBefore);
    if (after == launched.begin()) continue;
    const std::uint32_t last = *(after - 1);
    const GraphPoint end = m_graph.activities[last].end;
    if (m_graph.activities[last].eventKind == EventKind::Kernel && end != kNoPoint &&
        m_points.times(last).end <= m_points.times(collective).begin)
      ends.push_back(end);
  }
  return ends;
}

// Whether the thread that launched the activity had made a stream wait since it launched on this one before.
bool WaitRules::awaitsBetween(std::uint32_t activity) const {
  const std::uint32_t call = m_graph.activities[activity].launch;
  if (call == kNoPoint) return false;
  const std::uint32_t previous = lastOn(m_graph.activities[activity].lane);
  const std::uint32_t previousCall = previous == kNoPoint ? kNoPoint : m_graph.activities[previous].launch;
  const TimeNs from = previousCall == kNoPoint ? kAllTime.begin : m_points.times(previousCall).begin;
  const std::span<const TimeNs> awaits = m_points.awaits(m_graph.activities[call].lane);
  const auto at = std::ranges::upper_bound(awaits, from);
  return at != awaits.end() && *at <= m_points.times(call).begin;
}

InferredWait WaitRules::inferredWait(std::uint32_t activity, TimeRange late) const {
  const std::uint32_t lane = m_graph.activities[activity].lane;
  const TimeNs distance = awaitsBetween(activity) ? kAwaitedDistance : kEventDistance;
  const TimeRange within{std::max(late.begin, late.end - distance - 1), late.end};
  if (const GraphPoint end = latestEndElsewhere(lane, within); end != kNoPoint)
    return {GraphEdge::InferredEvent, end};
  if (m_graph.activities[activity].eventKind == EventKind::Kernel) {
    if (const GraphPoint begin = runningElsewhere(lane, late); begin != kNoPoint)
      return {GraphEdge::Resource, begin};
  }
  return {};
}

// In (begin, end] of the range.
GraphPoint WaitRules::latestEndElsewhere(std::uint32_t lane, TimeRange within) const {
  GraphPoint latest = kNoPoint;
  TimeNs latestTime = within.begin;
  for (std::uint32_t other = 0; other < m_streams.size(); ++other) {
    if (other == lane || m_graph.lanes[other].deviceIndex != m_graph.lanes[lane].deviceIndex) continue;
    const std::vector<std::uint32_t>& begun = m_streams[other].begun;
    for (std::size_t back = 0; back < std::min(kLookBack, begun.size()); ++back) {
      const std::uint32_t candidate = begun[begun.size() - 1 - back];
      const GraphPoint end = m_graph.activities[candidate].end;
      const TimeNs time = m_points.times(candidate).end;
      if (end != kNoPoint && time > latestTime && time <= within.end) {
        latest = end;
        latestTime = time;
      }
      if (end != kNoPoint && time <= within.begin) break;
    }
  }
  return latest;
}

// A compute kernel of another stream that ran when this one might have begun, and ends soon after it did.
GraphPoint WaitRules::runningElsewhere(std::uint32_t lane, TimeRange late) const {
  GraphPoint running = kNoPoint;
  TimeNs earliest = kAllTime.end;
  for (std::uint32_t other = 0; other < m_streams.size(); ++other) {
    if (other == lane || m_graph.lanes[other].deviceIndex != m_graph.lanes[lane].deviceIndex) continue;
    const std::uint32_t candidate = lastOn(other);
    if (candidate == kNoPoint || m_graph.activities[candidate].eventKind != EventKind::Kernel) continue;
    const TimeRange times = m_points.times(candidate);
    if (times.begin > late.begin + kResourceBegin || times.end < late.end ||
        times.end > late.end + kResourceTail || times.end >= earliest)
      continue;
    running = m_graph.activities[candidate].begin;
    earliest = times.end;
  }
  return running;
}

CallWait WaitRules::backFrom(std::uint32_t activity, TimeNs callEnd) const {
  const GraphActivity& of = m_graph.activities[activity];
  const TimeNs end = m_points.times(activity).end;
  if (callEnd - end > kBackDistance || of.begin == kNoPoint) return {};
  if (of.end != kNoPoint && end <= callEnd) return {true, false, GraphEdge::Back, of.end, 0};
  return {true, false, GraphEdge::BackOverlap, of.begin, 0};
}

CallWait WaitRules::recordedBack(std::uint32_t call) const {
  CallWait latest;
  TimeNs latestEnd = kAllTime.begin;
  const TimeRange times = m_points.times(call);
  for (auto at = std::ranges::lower_bound(m_recordedBack, call, {}, &Pair::first);
       at != m_recordedBack.end() && at->first == call; ++at) {
    const TimeNs end = m_points.times(at->second).end;
    if (end <= times.begin || end > times.end + kBackSkew || end <= latestEnd) continue;
    latest = backFrom(at->second, times.end);
    latestEnd = end;
  }
  return latest;
}

// Of all streams, the latest end of what was launched before the call.
CallWait WaitRules::deviceWait(std::uint32_t call) const {
  const TimeRange times = m_points.times(call);
  std::uint32_t latest = kNoPoint;
  TimeNs latestEnd = times.begin;
  for (const Stream& stream : m_streams) {
    for (std::size_t back = 0; back < std::min(kLookBack, stream.begun.size()); ++back) {
      const std::uint32_t candidate = stream.begun[stream.begun.size() - 1 - back];
      const std::uint32_t launch = m_graph.activities[candidate].launch;
      if (launch != kNoPoint && m_points.times(launch).begin >= times.begin) continue;
      const TimeNs end = m_points.times(candidate).end;
      if (end > times.end + kBackSkew) continue;
      if (end > latestEnd) {
        latest = candidate;
        latestEnd = end;
      }
      break;
    }
  }
  return latest == kNoPoint ? CallWait{} : backFrom(latest, times.end);
}

// A copy call that returned when its copy was done.
CallWait WaitRules::copyWait(std::uint32_t call) const {
  const TimeNs callEnd = m_points.times(call).end;
  std::uint32_t last = kNoPoint;
  for (auto at = std::ranges::lower_bound(m_launched, call, {}, &Pair::first);
       at != m_launched.end() && at->first == call; ++at) {
    if (last == kNoPoint || m_points.times(at->second).end > m_points.times(last).end) last = at->second;
  }
  if (last == kNoPoint || callEnd < m_points.times(last).end - kCopySkew) return {};
  return backFrom(last, callEnd);
}

CallWait WaitRules::fullQueue(std::uint32_t call) const {
  const auto at = std::ranges::lower_bound(m_launched, call, {}, &Pair::first);
  if (at == m_launched.end() || at->first != call) return {};
  // Ten medians of a damaged recording may be more than a number can be.
  const TimeNs length = m_points.times(call).length();
  if (length / 10 + (length % 10 > 0 ? 1 : 0) <= m_medianLaunch) return {};
  const std::uint32_t lane = m_graph.activities[at->second].lane;
  const std::uint32_t freed = lastOn(lane);
  if (m_streams[lane].queued < kFullQueue || freed == kNoPoint ||
      m_points.times(freed).begin <= m_points.times(call).begin)
    return {};
  return {true, false, GraphEdge::QueueFull, m_graph.activities[freed].begin, m_medianLaunch};
}

CallWait WaitRules::waitedFor(std::uint32_t call, TimeNs overhead) const {
  if (m_graph.activities[call].kind != GraphActivityKind::Call || m_points.times(call).length() <= kShortCall)
    return {};
  const GraphCallRole role = m_points.role(call);
  const bool waits = role == GraphCallRole::Synchronize || role == GraphCallRole::Free;
  CallWait wait = waits || role == GraphCallRole::Copy ? recordedBack(call) : CallWait{};
  if (!wait.found && role == GraphCallRole::Copy) wait = copyWait(call);
  if (!wait.found && waits) wait = deviceWait(call);
  if (!wait.found && role == GraphCallRole::Launch) return fullQueue(call);
  wait.overhead = overhead;
  wait.unexplained = !wait.found && role == GraphCallRole::Synchronize;
  return wait;
}

GraphPoint WaitRules::lastOfStep(std::uint32_t lane, const StepWindow& step) const {
  const TimeNs begin = m_points.toJob(step.range).begin;
  const std::vector<std::uint32_t>& begun = m_streams[lane].begun;
  for (auto at = begun.rbegin(); at != begun.rend() && m_points.times(*at).begin >= begin; ++at) {
    const GraphPoint end = m_graph.activities[*at].end;
    if (end != kNoPoint && m_points.isOfStep(*at, step)) return end;
  }
  return kNoPoint;
}

} // namespace rankscope
