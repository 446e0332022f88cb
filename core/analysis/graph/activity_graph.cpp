// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/activity_graph.h"

#include "core/analysis/graph/graph_calls.h"
#include "core/analysis/graph/launch_lags.h"
#include "core/analysis/graph/rank_points.h"
#include "core/analysis/graph/wait_rules.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace rankscope {

namespace {

// A begin that is later than all this explains is one without an explanation.
constexpr TimeNs kExplained = 15'000;
// A launch that lies further behind its kernel is a wrong link.
constexpr TimeNs kWrongLink = 1'000'000;
constexpr TimeNs kEventCap = 30'000;
// A device that begins so late after the first call returned was busy with what had been launched before the
// recording.
constexpr TimeNs kBusyBefore = 1'000'000;
// What a backend's thread takes to begin what was started, and a wait that need not wait.
constexpr TimeNs kBackendLaunch = 50'000;

// What of a thread was passed.
struct ThreadState {
  GraphPoint last = kNoPoint; // of its chain
  std::uint32_t openCall = kNoPoint;
  int loads = 0;
  TimeNs runBegin = kAllTime.begin;
  TimeNs yielded = kAllTime.begin;
};

struct Yield {
  TimeNs time = 0;
  std::uint32_t lane = 0;
  GraphPoint point = kNoPoint;
  TimeNs runBegin = 0;
};

// Makes the points of a rank in order of time, with the edges to each.
class Builder {
 public:
  Builder(const Analysis& analysis, RankIndex rank, TimeNs frozenUntil)
      : m_trace(*analysis.trace().rank(rank).trace), m_frozen(frozenUntil),
        m_points(analysis, rank, m_result), m_waits(m_trace, m_points, m_result) {}

  RankGraph build() {
    const std::vector<PointItem> items = m_points.items();
    m_threads.resize(m_result.lanes.size());
    sampleLags();
    m_callOverhead = m_points.callOverheads();
    reserve(items.size());
    for (const PointItem& item : items) addItem(item);
    countDevice();
    trim();
    return std::move(m_result);
  }

 private:
  [[nodiscard]] TimeNs timeAt(GraphPoint point) const { return m_result.graph.time[point]; }
  [[nodiscard]] GraphActivity& activity(std::uint32_t index) { return m_result.activities[index]; }
  [[nodiscard]] TimeNs beginOf(std::uint32_t index) const { return m_points.times(index).begin; }
  [[nodiscard]] TimeNs endOf(std::uint32_t index) const { return m_points.times(index).end; }
  [[nodiscard]] const LaunchLags& lagsOf(int device) { return m_lags[device]; }

  void reserve(std::size_t points) {
    m_result.graph.time.reserve(points);
    m_result.graph.firstEdge.reserve(points + 1);
    m_result.activityOf.reserve(points);
    m_result.kinds.reserve(points + points / 4);
    m_result.graph.source.reserve(points + points / 4);
    m_result.graph.lags.edges.reserve(points + points / 4);
  }

  // Of each device, over its streams.
  void sampleLags() {
    std::map<int, LaunchLagSamples> samples;
    for (std::uint32_t lane = 0; lane < m_result.lanes.size(); ++lane) {
      if (!m_result.lanes[lane].device) continue;
      LaunchLagSamples& ofDevice = samples[m_result.lanes[lane].deviceIndex];
      TimeNs previousEnd = kAllTime.begin;
      for (const std::uint32_t index : m_points.onStream(lane)) {
        const std::uint32_t call = activity(index).launch;
        if (call != kNoPoint) {
          if (previousEnd <= beginOf(call))
            ofDevice.addLaunch(beginOf(index) - beginOf(call));
          else if (endOf(call) + kQueuedBefore <= previousEnd && beginOf(index) >= previousEnd)
            ofDevice.addStream(beginOf(index) - previousEnd);
        }
        previousEnd = std::max(previousEnd, endOf(index));
      }
    }
    for (const auto& [device, of] : samples) m_lags[device] = of.lags();
  }

  void addEdge(GraphEdge kind, GraphPoint from, TimeNs lag) {
    m_result.graph.addEdge(from, lag);
    m_result.kinds.push_back(kind);
  }

  // Those of the next point, which keeps its recorded time.
  void dropEdges() {
    const std::uint32_t first = m_result.graph.firstEdge.empty() ? 0 : m_result.graph.firstEdge.back();
    m_result.graph.source.resize(first);
    m_result.graph.lags.edges.resize(first);
    m_result.kinds.resize(first);
  }

  // With the edges that were added since the last one.
  GraphPoint closePoint(const PointItem& item, TimeNs residual = 0) {
    if (item.time <= m_frozen) {
      dropEdges();
      residual = 0;
    }
    const GraphPoint point = m_result.graph.addPoint(item.time);
    m_result.activityOf.push_back(item.activity);
    if (residual != 0) {
      m_result.graph.residualAt.push_back(point);
      m_result.graph.lags.residuals.push_back(residual);
    }
    return point;
  }

  void addItem(const PointItem& item) {
    GraphActivity& own = activity(item.activity);
    switch (own.kind) {
    case GraphActivityKind::Device:
      return item.isEnd ? endDevice(item) : beginDevice(item);
    case GraphActivityKind::Call:
    case GraphActivityKind::HostCollective:
      return item.isEnd ? endCall(item) : beginCall(item);
    case GraphActivityKind::StepEnd:
      return endStep(item);
    case GraphActivityKind::Load:
    case GraphActivityKind::Run:
    case GraphActivityKind::StepMark:
    case GraphActivityKind::Join:
      return addMark(item);
    }
  }

  // ---- threads ----

  // The edge from what the thread did before.
  void chain(const PointItem& item, const ThreadState& thread) {
    if (thread.last == kNoPoint) return;
    addEdge(thread.loads > 0 ? GraphEdge::Load : GraphEdge::Host, thread.last,
            item.time - timeAt(thread.last));
  }

  void beginCall(const PointItem& item) {
    const std::uint32_t lane = activity(item.activity).lane;
    ThreadState& thread = m_threads[lane];
    if (m_result.lanes[lane].backend)
      beginOnBackend(item, thread);
    else
      chain(item, thread);
    const GraphPoint point = closePoint(item);
    activity(item.activity).begin = point;
    thread.last = point;
    thread.openCall = item.activity;
    m_waits.launchesBegin(item.activity);
  }

  // A thread of a backend waits until a collective is started. One that was busy then takes it when it is
  // done.
  void beginOnBackend(const PointItem& item, const ThreadState& thread) {
    const std::uint32_t start = activity(item.activity).launch;
    if (start == kNoPoint) return chain(item, thread);
    const bool wasBusy = thread.last != kNoPoint && timeAt(thread.last) > beginOf(start);
    const TimeNs delay = item.time - beginOf(start);
    addEdge(GraphEdge::Launch, activity(start).begin, wasBusy ? std::min(delay, kBackendLaunch) : delay);
    if (thread.last != kNoPoint)
      addEdge(GraphEdge::Host, thread.last, wasBusy ? item.time - timeAt(thread.last) : 0);
  }

  void endCall(const PointItem& item) {
    ThreadState& thread = m_threads[activity(item.activity).lane];
    const GraphActivity& call = activity(item.activity);
    const TimeNs duration = item.time - timeAt(call.begin);
    TimeNs own = duration;
    if (const auto back = m_waits.waitedFor(item.activity, m_callOverhead[item.activity]); back.found) {
      own = std::min(duration, back.overhead);
      if (back.kind != GraphEdge::QueueFull) ++m_result.facts.blockedCalls;
      addEdge(GraphEdge::Own, call.begin, own);
      addEdge(back.kind, back.source, item.time - timeAt(back.source));
    } else if (m_points.role(item.activity) == GraphCallRole::AwaitCollective &&
               awaitCollectives(item, timeAt(call.begin))) {
      addEdge(GraphEdge::Own, call.begin, std::min(duration, kBackendLaunch));
    } else {
      addEdge(GraphEdge::Own, call.begin, own);
      if (back.unexplained) m_result.facts.unexplainedSync += duration;
    }
    const GraphPoint point = closePoint(item);
    activity(item.activity).end = point;
    if (m_result.lanes[call.lane].backend) m_collectiveEnds.push_back(point);
    thread.last = point;
    thread.openCall = kNoPoint;
  }

  void addMark(const PointItem& item) {
    GraphActivity& mark = activity(item.activity);
    ThreadState& thread = m_threads[mark.lane];
    if (thread.openCall != kNoPoint) {
      // Within a call, which goes on: the chain passes by.
      const GraphPoint begin = activity(thread.openCall).begin;
      addEdge(GraphEdge::Host, begin, item.time - timeAt(begin));
      setPoint(item, closePoint(item));
      return;
    }
    const bool resumes = mark.kind == GraphActivityKind::Run && !item.isEnd;
    if (!awaitedInHole(item, thread) && (!resumes || !handOver(item, thread))) chain(item, thread);
    if (mark.kind == GraphActivityKind::Load) thread.loads += item.isEnd ? -1 : 1;
    const GraphPoint point = closePoint(item);
    setPoint(item, point);
    thread.last = point;
    if (mark.kind != GraphActivityKind::Run) return;
    if (item.isEnd) {
      thread.yielded = item.time;
      m_yields.push_back({item.time, mark.lane, point, thread.runBegin});
    } else {
      thread.runBegin = item.time;
    }
  }

  void setPoint(const PointItem& item, GraphPoint point) {
    GraphActivity& of = activity(item.activity);
    if (!item.isEnd) of.begin = point;
    if (item.isEnd || of.kind == GraphActivityKind::StepMark) of.end = point;
  }

  // Whether collectives on threads of a backend ended since then; the thread went on after the last of them.
  bool awaitCollectives(const PointItem& item, TimeNs since) {
    const auto isLater = [&](GraphPoint end) { return timeAt(end) > since; };
    const auto first = std::find_if_not(m_collectiveEnds.rbegin(), m_collectiveEnds.rend(), isLater).base();
    if (first == m_collectiveEnds.end()) return false;
    const TimeNs lag = item.time - timeAt(m_collectiveEnds.back());
    for (auto end = first; end != m_collectiveEnds.end(); ++end) addEdge(GraphEdge::Awaited, *end, lag);
    return true;
  }

  // Whether the thread did nothing that was recorded until a collective ended, and went on soon after. gloo
  // records no wait: DistributedDataParallel waits in C++, Work.wait() in Python.
  bool awaitedInHole(const PointItem& item, const ThreadState& thread) {
    const bool endsWork = activity(item.activity).kind == GraphActivityKind::Run && item.isEnd;
    if (m_collectiveEnds.empty() || endsWork || thread.loads > 0 || thread.last == kNoPoint) return false;
    const TimeNs since = timeAt(thread.last);
    const TimeNs late = item.time - timeAt(m_collectiveEnds.back());
    if (late > longestWakeUp(item.time - since) || !awaitCollectives(item, since)) return false;
    addEdge(GraphEdge::Host, thread.last, 0);
    return true;
  }

  // Whether another thread stopped just before this one went on, and had been begun by it.
  bool handOver(const PointItem& item, const ThreadState& thread) {
    const std::uint32_t lane = activity(item.activity).lane;
    for (auto yield = m_yields.rbegin(); yield != m_yields.rend() && yield->time > thread.yielded; ++yield) {
      if (yield->lane == lane) continue;
      const bool wokenByUs = thread.last == kNoPoint || yield->runBegin > thread.yielded - kRunHole ||
                             m_points.waitsForThread(lane, {thread.yielded, item.time});
      if (!wokenByUs) return false;
      addEdge(GraphEdge::HandOff, yield->point, item.time - yield->time);
      return true;
    }
    return false;
  }

  // ---- devices ----

  struct Allowed {
    TimeNs time = kAllTime.begin;
    std::size_t edge = 0; // of those of the point, that decides
    TimeNs cap = 0;
    bool any = false;
  };

  void offer(Allowed& allowed, GraphEdge kind, GraphPoint from, TimeNs lag, TimeNs cap) {
    addEdge(kind, from, lag);
    const TimeNs time = timeAt(from) + lag;
    if (allowed.any && time <= allowed.time) return;
    allowed = {time, m_result.graph.edges() - 1, cap, true};
  }

  void offerLaunch(const PointItem& item, const LaunchLags& lags, Allowed& allowed) {
    const std::uint32_t call = activity(item.activity).launch;
    if (call == kNoPoint) return;
    const TimeNs delay = item.time - beginOf(call);
    if (delay < -kWrongLink) {
      ++m_result.facts.droppedEdges;
      return;
    }
    GraphPoint from = activity(call).begin;
    if (from == kNoPoint || delay < 0) {
      // The clocks of host and device differ: from what the thread did before the call.
      from = m_threads[activity(call).lane].last;
      if (from == kNoPoint) return;
      offer(allowed, GraphEdge::Launch, from, item.time - timeAt(from), lags.launchCap);
      return;
    }
    offer(allowed, GraphEdge::Launch, from, std::min(lags.launch, delay), lags.launchCap);
  }

  void offerStream(const PointItem& item, const LaunchLags& lags, Allowed& allowed) {
    const std::uint32_t previous = m_waits.lastOn(activity(item.activity).lane);
    if (previous == kNoPoint) return;
    const GraphActivity& before = activity(previous);
    if (before.end != kNoPoint) {
      offer(allowed, GraphEdge::Stream, before.end, std::min(lags.stream, item.time - timeAt(before.end)),
            lags.streamCap);
    } else {
      offer(allowed, GraphEdge::Overlap, before.begin, item.time - timeAt(before.begin), 0);
    }
  }

  void beginDevice(const PointItem& item) {
    const GraphLane& lane = m_result.lanes[activity(item.activity).lane];
    const LaunchLags& lags = lagsOf(lane.deviceIndex);
    Allowed allowed;
    // Of equal ones the first decides.
    for (const GraphPoint from : m_waits.recordedWaits(item.activity))
      offer(allowed, GraphEdge::Event, from, std::min<TimeNs>(0, item.time - timeAt(from)), kEventCap);
    // They need not have decided the begin, but would if all else were earlier.
    for (const GraphPoint from : m_waits.launchedBefore(item.activity))
      offer(allowed, GraphEdge::InferredEvent, from, 0, kEventCap);
    offerStream(item, lags, allowed);
    offerLaunch(item, lags, allowed);
    TimeNs residual = 0;
    if (allowed.any && allowed.time < item.time) residual = explainLate(item, allowed);
    const std::uint32_t call = activity(item.activity).launch;
    const bool queued = call != kNoPoint && item.time - endOf(call) > kBusyBefore;
    if (m_begunOn.insert(lane.deviceIndex).second && queued && residual > 0) {
      // It may begin no earlier, whatever the host does.
      dropEdges();
      residual = 0;
      allowed.any = false;
    }
    if (residual > 0) ++m_result.facts.unexplained;
    m_result.facts.residual += residual;
    if (allowed.any) ++m_result.facts.boundBy[static_cast<std::size_t>(m_result.kinds[allowed.edge])];
    const GraphPoint point = closePoint(item, residual);
    activity(item.activity).begin = point;
    m_waits.beginsOnDevice(item.activity);
  }

  // Of a begin that is later than its edges ask for: what else it waited for, or what remains unexplained.
  TimeNs explainLate(const PointItem& item, Allowed& allowed) {
    if (item.time - allowed.time > kExplained) {
      const InferredWait wait = m_waits.inferredWait(item.activity, {allowed.time, item.time});
      if (wait.source != kNoPoint) {
        ++m_result.facts.inferred;
        addEdge(wait.kind, wait.source, item.time - timeAt(wait.source));
        allowed.edge = m_result.graph.edges() - 1;
        return 0;
      }
    }
    TimeNs& lag = m_result.graph.lags.edges[allowed.edge];
    const TimeNs grown = std::clamp<TimeNs>(allowed.cap - lag, 0, item.time - allowed.time);
    lag += grown;
    return item.time - allowed.time - grown;
  }

  void endDevice(const PointItem& item) {
    const GraphPoint begin = activity(item.activity).begin;
    addEdge(GraphEdge::Own, begin, item.time - timeAt(begin));
    activity(item.activity).end = closePoint(item);
  }

  // ---- steps ----

  void endStep(const PointItem& item) {
    const StepWindow& step = m_points.stepOf(item.activity);
    GraphPoint latest = kNoPoint;
    std::vector<GraphPoint> sources;
    const auto take = [&](GraphPoint point) {
      if (point == kNoPoint || timeAt(point) > item.time) return;
      sources.push_back(point);
      if (latest == kNoPoint || timeAt(point) > timeAt(latest)) latest = point;
    };
    take(m_points.hostEndOf(item.activity));
    for (std::uint32_t lane = 0; lane < m_result.lanes.size(); ++lane) {
      if (m_result.lanes[lane].device) take(m_waits.lastOfStep(lane, step));
    }
    const TimeNs hostBegin = m_points.toJob(step.host).begin;
    for (auto end = m_collectiveEnds.rbegin(); end != m_collectiveEnds.rend() && timeAt(*end) > hostBegin;
         ++end)
      take(*end);
    for (const GraphPoint source : sources)
      addEdge(GraphEdge::StepEnd, source, source == latest ? item.time - timeAt(source) : 0);
    const GraphPoint point = closePoint(item);
    activity(item.activity).begin = activity(item.activity).end = point;
    m_result.stepEnds[m_points.stepIndex(item.activity)] = point;
  }

  // The graphs of all ranks are held until they are joined.
  void trim() {
    m_result.activities.shrink_to_fit();
    m_result.kinds.shrink_to_fit();
    m_result.collectives.shrink_to_fit();
    m_result.graph.source.shrink_to_fit();
    m_result.graph.residualAt.shrink_to_fit();
    m_result.graph.lags.edges.shrink_to_fit();
    m_result.graph.lags.residuals.shrink_to_fit();
  }

  void countDevice() {
    for (const GraphActivity& own : m_result.activities) {
      if (own.kind != GraphActivityKind::Device) continue;
      const TimeNs duration = timeAt(own.end) - timeAt(own.begin);
      ++m_result.facts.deviceActivities;
      m_result.facts.deviceTime += duration;
      if (own.launch == kNoPoint) continue;
      ++m_result.facts.withLaunch;
      m_result.facts.launchedTime += duration;
    }
  }

  const RankTrace& m_trace;
  TimeNs m_frozen;
  RankGraph m_result;
  RankPoints m_points;
  WaitRules m_waits;
  std::map<int, LaunchLags> m_lags;
  std::set<int> m_begunOn;            // devices with activities before
  std::vector<TimeNs> m_callOverhead; // by activity
  std::vector<ThreadState> m_threads; // by lane
  std::vector<Yield> m_yields;
  std::vector<GraphPoint> m_collectiveEnds; // on threads of a backend, by time
};

} // namespace

RankGraph rankGraph(const Analysis& analysis, RankIndex rank, TimeNs frozenUntil) {
  return Builder(analysis, rank, frozenUntil).build();
}

} // namespace rankscope
