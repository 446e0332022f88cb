// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/joint_graph.h"

#include "core/base/parallel_for.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <map>

namespace rankscope {

namespace {

constexpr unsigned kRanksPerThread = 4;

// What a rank did before its first step is not part of any window.
TimeNs stepsBegin(const Analysis& analysis, RankIndex rank) {
  const StepWindows& steps = analysis.wholeStepWindows(rank);
  if (steps.steps.empty()) return kAllTime.begin;
  return analysis.clocks().of(rank).toJob(RankTime(steps.steps.front().range.begin)).ns();
}

TimeNs jobBegin(const Analysis& analysis, int capture) {
  TimeNs begin = kAllTime.end;
  for (std::size_t i = 0; i < analysis.trace().ranks().size(); ++i) {
    const RankIndex rank(i);
    if (analysis.trace().rank(rank).capture != capture || analysis.wholeStepWindows(rank).steps.empty())
      continue;
    begin = std::min(begin, stepsBegin(analysis, rank));
  }
  return begin;
}

// Whether a participant ended without the last one: roots of what goes out from one rank, and senders whose
// data was buffered.
bool mayLeaveEarly(CollectiveOperation operation) {
  return !isBlockingForAll(operation) && operation != CollectiveOperation::AllToAll;
}

class Joining {
 public:
  Joining(const Analysis& analysis, JobGraph& job) : m_analysis(analysis), m_job(job) {}

  // Ranks from `first` on; those before it have been taken.
  void take(std::vector<RankGraph> ranks, RankIndex first) {
    if (first.value == 0) reserve(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) append(RankIndex(first.value + i), ranks[i]);
  }

  // When all ranks have been taken.
  void join() {
    addJoins();
    addJoinPoints();
    std::vector<PointRun> runs;
    runs.reserve(m_job.ranks.size() + m_job.joins.size());
    for (const RankPart& part : m_job.ranks) {
      if (part.points.begin < part.points.end) runs.push_back(part.points);
    }
    for (const GraphJoin& join : m_job.joins) runs.push_back({join.point, join.point + 1});
    orderPoints(m_job.graph, runs,
                [this](std::span<const GraphPoint> stopped) { return dissolveOne(stopped); });
  }

 private:
  // For all ranks, as far as the first ones tell: growing by doubling takes twice as much memory, and what is
  // reserved but never written takes none.
  void reserve(const std::vector<RankGraph>& first) {
    const TraceSet& traces = m_analysis.trace();
    std::size_t events = 0, eventsOfFirst = 0;
    for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
      const std::size_t own = traces.ranks()[i].trace->events.size();
      events += own;
      if (i < first.size()) eventsOfFirst += own;
    }
    std::size_t points = 0, edges = 0, activities = 0, residuals = 0;
    for (const RankGraph& rank : first) {
      points += rank.graph.points();
      edges += rank.graph.edges();
      activities += rank.activities.size();
      residuals += rank.graph.residualAt.size();
    }
    constexpr double kMargin = 1.25;
    const double scale =
        eventsOfFirst > 0 ? kMargin * static_cast<double>(events) / static_cast<double>(eventsOfFirst) : 0;
    const auto ofAll = [&](std::size_t count) {
      return static_cast<std::size_t>(scale * static_cast<double>(count));
    };
    std::size_t joins = 0, arrivals = 0;
    const CollectiveMatch& match = m_analysis.collectives().match;
    for (const CollectiveInstance& instance : match.instances) {
      if (!instance.matched()) continue;
      ++joins;
      arrivals += match.of(instance).size();
    }
    m_job.graph.time.reserve(ofAll(points) + joins);
    m_job.graph.firstEdge.reserve(ofAll(points) + joins + 1);
    m_job.activityOf.reserve(ofAll(points) + joins);
    m_job.graph.source.reserve(ofAll(edges) + arrivals);
    m_job.graph.lags.edges.reserve(ofAll(edges) + arrivals);
    m_job.kinds.reserve(ofAll(edges) + arrivals);
    m_job.graph.residualAt.reserve(ofAll(residuals));
    m_job.graph.lags.residuals.reserve(ofAll(residuals));
    m_job.activities.reserve(ofAll(activities) + joins);
    m_job.ranks.reserve(traces.ranks().size());
    m_collectives.reserve(traces.ranks().size());
  }

  // Copies a rank's graph behind those that are there and gives back its memory.
  void append(RankIndex rank, RankGraph& from) {
    const auto firstPoint = static_cast<GraphPoint>(m_job.graph.points());
    const auto firstActivity = static_cast<std::uint32_t>(m_job.activities.size());
    const auto firstEdge = static_cast<std::uint32_t>(m_job.graph.edges());
    MaxPlusGraph& graph = m_job.graph;
    if (graph.firstEdge.empty()) graph.firstEdge.push_back(0);
    graph.time.insert(graph.time.end(), from.graph.time.begin(), from.graph.time.end());
    for (std::size_t i = 1; i < from.graph.firstEdge.size(); ++i)
      graph.firstEdge.push_back(from.graph.firstEdge[i] + firstEdge);
    for (const GraphPoint source : from.graph.source) graph.source.push_back(source + firstPoint);
    graph.lags.edges.insert(graph.lags.edges.end(), from.graph.lags.edges.begin(),
                            from.graph.lags.edges.end());
    m_job.kinds.insert(m_job.kinds.end(), from.kinds.begin(), from.kinds.end());
    for (const GraphPoint point : from.graph.residualAt) graph.residualAt.push_back(point + firstPoint);
    graph.lags.residuals.insert(graph.lags.residuals.end(), from.graph.lags.residuals.begin(),
                                from.graph.lags.residuals.end());
    for (const std::uint32_t activity : from.activityOf) m_job.activityOf.push_back(activity + firstActivity);
    for (GraphActivity activity : from.activities) {
      if (activity.begin != kNoPoint) activity.begin += firstPoint;
      if (activity.end != kNoPoint) activity.end += firstPoint;
      if (activity.launch != kNoPoint) activity.launch += firstActivity;
      m_job.activities.push_back(activity);
    }
    RankPart part;
    part.rank = rank;
    part.points = {firstPoint, static_cast<GraphPoint>(graph.points())};
    part.firstActivity = firstActivity;
    part.activityCount = static_cast<std::uint32_t>(from.activities.size());
    part.lanes = std::move(from.lanes);
    part.facts = from.facts;
    part.stepEnds = std::move(from.stepEnds);
    for (GraphPoint& end : part.stepEnds) {
      if (end != kNoPoint) end += firstPoint;
    }
    m_job.ranks.push_back(std::move(part));
    m_collectives.push_back(std::move(from.collectives));
    from = {};
  }

  [[nodiscard]] std::uint32_t activityOfCall(const Participant& of) const {
    const EventIndex event = m_analysis.collectiveCalls(of.rank)[of.call].event;
    const auto& known = m_collectives[of.rank.value];
    const auto at = std::ranges::lower_bound(known, event, {}, &std::pair<EventIndex, std::uint32_t>::first);
    if (at == known.end() || at->first != event) return kNoPoint;
    return at->second + m_job.part(of.rank).firstActivity;
  }

  [[nodiscard]] TimeRange timesOf(std::uint32_t activity) const {
    const GraphActivity& of = m_job.activities[activity];
    return {m_job.graph.time[of.begin], m_job.graph.time[of.end]};
  }

  void addJoins() {
    const CollectiveMatch& match = m_analysis.collectives().match;
    for (std::size_t i = 0; i < match.instances.size(); ++i) {
      const CollectiveInstance& instance = match.instances[i];
      if (!instance.matched()) continue;
      GraphJoin join;
      join.instance = InstanceIndex(i);
      join.operation = instance.operation;
      join.group = instance.group;
      join.first = static_cast<std::uint32_t>(m_job.joinActivities.size());
      for (const Participant& participant : match.of(instance)) {
        const std::uint32_t activity = activityOfCall(participant);
        if (activity == kNoPoint || m_job.activities[activity].join != kNoPoint) continue;
        m_job.joinActivities.push_back(activity);
        m_job.activities[activity].join = static_cast<std::uint32_t>(m_job.joins.size());
        if (!participant.certain) join.uncertain = true;
      }
      join.uncertain |= instance.matchedBy == MatchedBy::Time;
      join.count = static_cast<std::uint32_t>(m_job.joinActivities.size()) - join.first;
      if (join.count < 2) {
        for (const std::uint32_t activity : m_job.participants(join))
          m_job.activities[activity].join = kNoPoint;
        m_job.joinActivities.resize(join.first);
        continue;
      }
      const std::int64_t members = match.group(instance).size;
      join.partial = !isPointToPoint(instance.operation) &&
                     instance.operation != CollectiveOperation::SendRecv &&
                     members > static_cast<std::int64_t>(join.count);
      m_job.joins.push_back(join);
    }
  }

  // One point a join, behind those of the ranks; ends of what takes part depend on it.
  void addJoinPoints() {
    for (std::size_t i = 0; i < m_job.joins.size(); ++i) {
      GraphJoin& join = m_job.joins[i];
      TimeNs lastBegin = kAllTime.begin;
      TimeNs firstEnd = kAllTime.end;
      for (const std::uint32_t activity : m_job.participants(join))
        lastBegin = std::max(lastBegin, timesOf(activity).begin);
      for (const std::uint32_t activity : m_job.participants(join)) {
        if (!leavesEarly(join, activity, lastBegin)) firstEnd = std::min(firstEnd, timesOf(activity).end);
      }
      const TimeNs last = std::min(lastBegin, firstEnd);
      join.clockError = lastBegin - last;
      for (const std::uint32_t activity : m_job.participants(join)) {
        const GraphPoint begin = m_job.activities[activity].begin;
        m_job.graph.addEdge(begin, std::min<TimeNs>(0, last - m_job.graph.time[begin]));
        m_job.kinds.push_back(GraphEdge::Arrival);
      }
      join.point = m_job.graph.addPoint(last);
      GraphActivity own;
      own.kind = GraphActivityKind::Join;
      own.rank = m_job.activities[m_job.joinActivities[join.first]].rank;
      own.begin = own.end = join.point;
      own.join = static_cast<std::uint32_t>(i);
      m_job.activityOf.push_back(static_cast<std::uint32_t>(m_job.activities.size()));
      m_job.activities.push_back(own);
      for (const std::uint32_t activity : m_job.participants(join)) {
        if (!leavesEarly(join, activity, lastBegin)) waitFor(activity, join.point, last);
      }
    }
  }

  [[nodiscard]] bool leavesEarly(const GraphJoin& join, std::uint32_t activity, TimeNs lastBegin) const {
    if (!mayLeaveEarly(join.operation)) return false;
    const RankIndex rank = m_job.activities[activity].rank;
    const TimeNs residual = m_analysis.clocks().ranks[rank.value].residual.value_or(0);
    return timesOf(activity).end < lastBegin - residual;
  }

  // The edge of its own that its end has, or none where it is frozen.
  [[nodiscard]] std::uint32_t ownEdge(std::uint32_t activity) const {
    const GraphPoint end = m_job.activities[activity].end;
    for (std::uint32_t edge = m_job.graph.firstEdge[end]; edge < m_job.graph.firstEdge[end + 1]; ++edge) {
      if (m_job.kinds[edge] == GraphEdge::Own || m_job.kinds[edge] == GraphEdge::Join) return edge;
    }
    return kNoPoint;
  }

  void waitFor(std::uint32_t activity, GraphPoint join, TimeNs last) {
    const std::uint32_t edge = ownEdge(activity);
    if (edge == kNoPoint) return;
    m_job.graph.source[edge] = join;
    m_job.graph.lags.edges[edge] = timesOf(activity).end - last;
    m_job.kinds[edge] = GraphEdge::Join;
  }

  // Of those that ranks wait for, the one with the weakest evidence: its calls take their recorded time.
  bool dissolveOne(std::span<const GraphPoint> stopped) {
    GraphJoin* worst = nullptr;
    for (const GraphPoint point : stopped) {
      const std::uint32_t index = m_job.activityAt(point).join;
      if (index == kNoPoint || m_job.joins[index].dissolved) continue;
      GraphJoin& join = m_job.joins[index];
      if (worst == nullptr || weakness(join) > weakness(*worst)) worst = &join;
    }
    if (worst == nullptr) return false;
    worst->dissolved = true;
    ++m_job.dissolved;
    for (const std::uint32_t activity : m_job.participants(*worst)) {
      const std::uint32_t edge = ownEdge(activity);
      if (edge == kNoPoint) continue;
      m_job.graph.source[edge] = m_job.activities[activity].begin;
      m_job.graph.lags.edges[edge] = timesOf(activity).length();
      m_job.kinds[edge] = GraphEdge::Own;
    }
    return true;
  }

  [[nodiscard]] std::pair<int, TimeNs> weakness(const GraphJoin& join) const {
    const CollectiveInstance& instance = m_analysis.collectives().match.instance(join.instance);
    const int evidence = instance.matchedBy == MatchedBy::Time    ? 2
                         : instance.matchedBy == MatchedBy::Order ? 1
                                                                  : 0;
    return {evidence + (join.uncertain ? 3 : 0), instance.skew()};
  }

  const Analysis& m_analysis;
  JobGraph& m_job;
  std::vector<std::vector<std::pair<EventIndex, std::uint32_t>>> m_collectives; // by rank: RankGraph's
};

// Windows of the steps that are asked about.
std::vector<JobWindow> windowsOf(const Analysis& analysis, const JobGraph& job) {
  const KeptSteps& kept = analysis.keptSteps();
  std::vector<JobWindow> windows(kept.steps.size());
  std::vector<bool> asked(kept.steps.size(), false);
  std::vector<bool> isStep(kept.steps.size(), false);
  for (std::size_t i = 0; i < kept.steps.size(); ++i) {
    windows[i].step = i;
    windows[i].capture = kept.steps[i].capture;
    windows[i].kept = kept.steps[i].kept();
  }
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const RankIndex rank(r);
    const StepWindows& steps = analysis.wholeStepWindows(rank);
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
      const std::size_t step = kept.stepOfRank[r][s];
      windows[step].ends.push_back(job.ranks[r].stepEnds[s]);
      if (steps.areSteps()) isStep[step] = true;
      if (analysis.window(rank).ns().contains(steps.steps[s].range.begin)) asked[step] = true;
    }
  }
  // Beside a capture with steps, all of one without any is no step.
  bool anyStep = false;
  for (std::size_t i = 0; i < windows.size(); ++i)
    anyStep = anyStep || (isStep[i] && asked[i] && windows[i].kept);
  for (std::size_t i = 0; i < windows.size(); ++i)
    windows[i].kept = windows[i].kept && (isStep[i] || !anyStep);
  std::map<int, TimeNs> previous;
  std::vector<JobWindow> result;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    JobWindow& window = windows[i];
    if (window.ends.empty()) continue;
    const auto [before, first] = previous.try_emplace(window.capture, jobBegin(analysis, window.capture));
    TimeNs end = before->second;
    for (const GraphPoint point : window.ends) end = std::max(end, job.graph.time[point]);
    window.range = {before->second, end};
    window.firstOfCapture = first;
    before->second = end;
    window.asked = asked[i];
    result.push_back(std::move(window));
  }
  return result;
}

} // namespace

std::vector<std::size_t> JobGraph::keptWindows() const {
  std::vector<std::size_t> kept, asked;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!windows[i].asked) continue;
    asked.push_back(i);
    if (windows[i].kept) kept.push_back(i);
  }
  return kept.empty() ? asked : kept;
}

TimeRange JobGraph::windowAt(std::span<const TimeNs> times, std::size_t window) const {
  const JobWindow& of = windows[window];
  const auto endOf = [&](const JobWindow& step) {
    TimeNs end = kAllTime.begin;
    for (const GraphPoint point : step.ends) end = std::max(end, times[point]);
    return end;
  };
  // What lies before the first step of a capture stays where it is.
  const TimeNs begin = of.firstOfCapture ? of.range.begin : endOf(windows[window - 1]);
  return {begin, std::max(begin, endOf(of))};
}

JobGraph jobGraph(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  JobGraph job;
  const std::size_t count = analysis.trace().ranks().size();
  static_cast<void>(analysis.collectives());
  Joining joining(analysis, job);
  // A few ranks at a time, so that there is never a second copy of the whole graph.
  const std::size_t atOnce = std::size_t{kRanksPerThread} * std::max(1U, threadCount);
  for (std::size_t first = 0; first < count; first += atOnce) {
    std::vector<RankGraph> ranks(std::min(atOnce, count - first));
    parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
      if (progress != nullptr && progress->cancelled()) return;
      const RankIndex rank(first + i);
      ranks[i] = rankGraph(analysis, rank, stepsBegin(analysis, rank));
      giveBackPages(*analysis.trace().rank(rank).trace);
    });
    if (progress != nullptr && progress->cancelled()) return {};
    joining.take(std::move(ranks), RankIndex(first));
  }
  joining.join();
  job.windows = windowsOf(analysis, job);
  return job;
}

std::optional<std::int64_t> stepNumberOf(const Analysis& analysis, const JobWindow& window) {
  const JobStep& step = analysis.keptSteps().steps[window.step];
  if (step.number == Step::kUnknownNumber) return std::nullopt;
  return step.number;
}

} // namespace rankscope
