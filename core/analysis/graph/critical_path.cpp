// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/critical_path.h"

#include "core/analysis/classify/name_traits.h"
#include "core/analysis/graph/host_pieces.h"
#include "core/base/parallel_for.h"
#include "core/model/trace_pages.h"

#include <algorithm>

namespace rankscope {

namespace {

PathCategory callCategory(std::string_view name) {
  switch (callClassOf(name)) {
  case CallClass::Synchronize:
    return PathCategory::Synchronization;
  case CallClass::Allocate:
    return PathCategory::Allocation;
  case CallClass::Copy:
  case CallClass::Other:
    break;
  }
  return PathCategory::Runtime;
}

// Walks back from the end of a window and lays segments, the last one first.
class Walk {
 public:
  Walk(const Analysis& analysis, const JobGraph& job, const GraphLags& lags, std::span<const TimeNs> times)
      : m_analysis(analysis), m_job(job), m_lags(lags), m_times(times),
        m_recorded(times.data() == job.graph.time.data()) {}

  std::vector<PathSegment> segments(std::size_t window) {
    const TimeRange range = m_job.windowAt(m_times, window);
    m_stop = range.begin;
    GraphPoint point = kNoPoint;
    for (const GraphPoint end : m_job.windows[window].ends) {
      if (point == kNoPoint || m_times[end] > m_times[point]) point = end;
    }
    while (point != kNoPoint && m_times[point] > m_stop) point = stepBack(point);
    std::ranges::reverse(m_segments);
    return std::move(m_segments);
  }

 private:
  [[nodiscard]] const RankTrace& traceOf(RankIndex rank) const {
    return *m_analysis.trace().rank(rank).trace;
  }
  [[nodiscard]] std::string_view nameOf(RankIndex rank, EventIndex event) const {
    return m_analysis.trace().names()[traceOf(rank).events.name[event]];
  }

  // The source of what decided the point; kNoPoint at the begin of all.
  GraphPoint stepBack(GraphPoint point) {
    const GraphActivity& target = m_job.activityAt(point);
    const TimeNs residual = residualOf(m_job.graph, m_lags, point);
    const TimeNs explained = m_times[point] - residual;
    m_edge.reset();
    if (residual > 0) add({explained, m_times[point]}, PathCategory::Unexplained, target, {});
    if (explained <= m_stop) return kNoPoint;
    const std::uint32_t edge = bindingEdge(m_job.graph, m_lags, m_times, point);
    if (edge == kNoPoint) {
      add({m_stop, explained}, PathCategory::Untraced, target, {});
      return kNoPoint;
    }
    const GraphPoint source = m_job.graph.source[edge];
    m_edge = m_job.kinds[edge];
    addEdge(m_job.kinds[edge], source, target, point, {m_times[source], explained});
    return source;
  }

  void add(TimeRange range, PathCategory category, const GraphActivity& activity, EventIndex event) {
    if (range.begin < range.end) range.begin = std::max(range.begin, m_stop);
    if (range.begin == range.end || (range.begin > range.end && category != PathCategory::Clock)) return;
    PathSegment segment;
    segment.range = range;
    segment.category = category;
    segment.rank = activity.rank;
    segment.lane = activity.lane;
    segment.event = event;
    if (activity.launch != kNoPoint) segment.launch = m_job.activities[activity.launch].event;
    segment.activity = static_cast<std::uint32_t>(&activity - m_job.activities.data());
    segment.edge = m_edge;
    m_segments.push_back(segment);
  }

  [[nodiscard]] PathCategory ownCategory(const GraphActivity& activity) const {
    switch (activity.eventKind) {
    case EventKind::Kernel:
      return PathCategory::Compute;
    case EventKind::Copy:
    case EventKind::Set:
      return PathCategory::Copy;
    case EventKind::Runtime:
      return callCategory(nameOf(activity.rank, activity.event));
    default:
      return activity.kind == GraphActivityKind::Call ? PathCategory::Operators
                                                      : PathCategory::CommunicationUnmatched;
    }
  }

  void addEdge(GraphEdge kind, GraphPoint source, const GraphActivity& target, GraphPoint point,
               TimeRange range) {
    const GraphActivity& from = m_job.activityAt(source);
    if (range.end < range.begin) return add(range, PathCategory::Clock, target, {});
    switch (kind) {
    case GraphEdge::Own:
      return add(range, ownCategory(target), target, target.event);
    case GraphEdge::Host:
      return addHost(source, point, target, range);
    case GraphEdge::Load:
      return add(range, PathCategory::DataLoader, target, {});
    case GraphEdge::HandOff:
      return add(range, PathCategory::HandOff, target, {});
    case GraphEdge::Launch:
      return add(range, PathCategory::Launch, target, target.event);
    case GraphEdge::Stream:
    case GraphEdge::Event:
    case GraphEdge::InferredEvent:
    case GraphEdge::StepEnd:
      return add(range, PathCategory::KernelGap, target, target.event);
    case GraphEdge::Overlap:
    case GraphEdge::Resource:
      return addFromBegin(from, target, range, PathCategory::KernelGap);
    case GraphEdge::Awaited:
    case GraphEdge::Back:
      return add(range, PathCategory::Synchronization, target, target.event);
    case GraphEdge::BackOverlap:
      return addFromBegin(from, target, range, PathCategory::Synchronization);
    case GraphEdge::QueueFull:
      return add(range, PathCategory::Runtime, target, target.event);
    case GraphEdge::Join:
      return add(range, PathCategory::Transfer, target, target.event);
    case GraphEdge::Arrival:
      return add(range, PathCategory::Clock, target, {});
    }
  }

  // From the begin of an activity: the first part of the range is its own time.
  void addFromBegin(const GraphActivity& from, const GraphActivity& target, TimeRange range,
                    PathCategory rest) {
    const TimeNs ownEnd = std::min(range.end, std::max(range.begin, m_times[from.end]));
    add({ownEnd, range.end}, rest, target, target.event);
    add({range.begin, ownEnd}, ownCategory(from), from, from.event);
  }

  // Cut at the borders of what the thread was in. Of an edited replay in proportion to the recording.
  void addHost(GraphPoint source, GraphPoint point, const GraphActivity& target, TimeRange range) {
    const RankTrace& trace = traceOf(target.rank);
    const GraphLane& lane = m_job.laneOf(target);
    const TimeRange recorded{m_job.graph.time[source], m_job.graph.time[point]};
    if (recorded.empty()) return add(range, PathCategory::Untraced, target, {});
    const ClockCorrection& clock = m_analysis.clocks().of(target.rank);
    const TimeRange own = clock.fromJob(JobRange::of(recorded)).ns();
    const std::vector<HostPiece> pieces = hostPiecesOf(trace, lane.track, lane.python, own);
    TimeNs end = range.end;
    for (std::size_t i = pieces.size(); i-- > 0 && end > m_stop;) {
      const TimeNs piece = clock.toJob(RankTime(pieces[i].range.begin)).ns();
      const TimeNs begin = i == 0 ? range.begin : std::clamp(moved(piece, recorded, range), range.begin, end);
      add({begin, end}, hostCategory(trace, pieces[i].event), target, pieces[i].event);
      end = begin;
    }
    if (end > m_stop) add({range.begin, end}, PathCategory::Untraced, target, {});
  }

  [[nodiscard]] TimeNs moved(TimeNs time, TimeRange recorded, TimeRange range) const {
    if (m_recorded) return time;
    const double share = static_cast<double>(time - recorded.begin) / static_cast<double>(recorded.length());
    return range.begin + static_cast<TimeNs>(share * static_cast<double>(range.length()));
  }

  [[nodiscard]] PathCategory hostCategory(const RankTrace& trace, EventIndex event) const {
    if (!event.valid()) return PathCategory::Untraced;
    switch (trace.events.kind[event]) {
    case EventKind::Runtime:
      return callCategory(m_analysis.trace().names()[trace.events.name[event]]);
    case EventKind::Python:
      return PathCategory::Python;
    default:
      return PathCategory::Operators;
    }
  }

  const Analysis& m_analysis;
  const JobGraph& m_job;
  const GraphLags& m_lags;
  std::span<const TimeNs> m_times;
  bool m_recorded;
  TimeNs m_stop = 0;
  std::optional<GraphEdge> m_edge; // that the next segments stand for
  std::vector<PathSegment> m_segments;
};

} // namespace

std::string_view pathCategoryText(PathCategory category) {
  static constexpr std::array<std::string_view, kPathCategoryCount> kTexts{
      "compute",  "copy",       "transfer",    "communication_unmatched",
      "launch",   "kernel_gap", "operators",   "runtime",
      "python",   "dataloader", "allocation",  "synchronization",
      "untraced", "hand_off",   "unexplained", "clock"};
  return kTexts[static_cast<std::size_t>(category)];
}

WindowPath criticalPath(const Analysis& analysis, const JobGraph& job, const GraphLags& lags,
                        std::span<const TimeNs> times, std::size_t window) {
  return {window, Walk(analysis, job, lags, times).segments(window)};
}

TimeNs CategoryTimes::total() const {
  TimeNs sum = 0;
  for (const TimeNs time : of) sum += time;
  return sum;
}

CategoryTimes categoryTimes(std::span<const PathSegment> segments) {
  CategoryTimes times;
  for (const PathSegment& segment : segments)
    times.of[static_cast<std::size_t>(segment.category)] += segment.duration();
  return times;
}

JobPath jobPath(const Analysis& analysis, const JobGraph& job, unsigned threadCount) {
  JobPath path;
  for (std::size_t i = 0; i < job.windows.size(); ++i) {
    if (job.windows[i].asked) path.windows.push_back({i, {}});
  }
  parallelFor(path.windows.size(), threadCount, [&](std::size_t i) {
    path.windows[i] = criticalPath(analysis, job, job.graph.lags, job.graph.time, path.windows[i].window);
  });
  giveBackPages(analysis.trace());
  std::vector<std::pair<GraphPoint, TimeNs>> bounds;
  for (const JobWindow& window : job.windows) {
    for (const GraphPoint end : window.ends) bounds.emplace_back(end, window.range.end);
  }
  const std::vector<TimeNs> latest = latestTimes(job.graph, job.graph.lags, bounds);
  path.slack.reserve(job.activities.size());
  for (const GraphActivity& activity : job.activities) {
    const TimeNs bound = latest[activity.end];
    path.slack.push_back(bound == kAllTime.end ? kAllTime.end : bound - job.graph.time[activity.end]);
  }
  return path;
}

Phase phaseOfSegment(const Analysis& analysis, const PathSegment& segment) {
  const EventIndex of = segment.launch.valid() ? segment.launch : segment.event;
  const RankTrace& trace = *analysis.trace().rank(segment.rank).trace;
  if (segment.category == PathCategory::DataLoader) return Phase::DataLoader;
  TimeNs time = 0;
  if (of.valid() && !trace.isDeviceEvent(of))
    time = trace.events.begin[of];
  else
    time = analysis.clocks().of(segment.rank).fromJob(JobTime(segment.range.begin)).ns();
  const HostPhases& phases = analysis.wholePhases(segment.rank);
  for (const Phase phase :
       {Phase::Backward, Phase::Optimizer, Phase::Loss, Phase::Forward, Phase::DataLoader}) {
    if (phases.of(phase).contains(time)) return phase;
  }
  return Phase::None;
}

EventIndex operatorOfSegment(const Analysis& analysis, const PathSegment& segment) {
  const RankTrace& trace = *analysis.trace().rank(segment.rank).trace;
  if (!segment.event.valid()) return {};
  const OperatorTree& tree = analysis.operatorTree(segment.rank);
  if (trace.isDeviceEvent(segment.event)) return tree.workOf(trace, segment.event);
  if (isOperator(trace, analysis.trace().names(), segment.event)) return segment.event;
  return segment.event.value < tree.enclosing.size() && trace.events.kind[segment.event] == EventKind::Runtime
             ? tree.enclosingOf(segment.event)
             : EventIndex();
}

} // namespace rankscope
