// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/max_plus.h"

#include <algorithm>
#include <deque>

namespace rankscope {

namespace {

// Walks the runs side by side: each goes on until it needs a point of another that was not passed yet.
class Ordering {
 public:
  Ordering(MaxPlusGraph& graph, std::span<const PointRun> runs)
      : m_graph(graph), m_runs(runs.begin(), runs.end()), m_waiting(runs.size()) {
    std::ranges::sort(m_runs, {}, &PointRun::begin);
    m_next.reserve(m_runs.size());
    for (const PointRun& run : m_runs) m_next.push_back(run.begin);
  }

  bool order(const std::function<bool(std::span<const GraphPoint>)>& release) {
    m_graph.order.clear();
    for (std::size_t run = 0; run < m_runs.size(); ++run) m_ready.push_back(run);
    while (true) {
      while (!m_ready.empty()) {
        const std::size_t run = m_ready.front();
        m_ready.pop_front();
        advance(run);
      }
      const std::vector<GraphPoint> stopped = stoppedPoints();
      if (stopped.empty()) return true;
      if (!release || !release(stopped)) return false;
      for (std::vector<std::size_t>& waiting : m_waiting) waiting.clear();
      for (std::size_t run = 0; run < m_runs.size(); ++run) {
        if (m_next[run] < m_runs[run].end) m_ready.push_back(run);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t runOf(GraphPoint point) const {
    const auto after = std::ranges::upper_bound(m_runs, point, {}, &PointRun::begin);
    return static_cast<std::size_t>(after - m_runs.begin()) - 1;
  }

  void advance(std::size_t run) {
    const GraphPoint begin = m_next[run];
    GraphPoint& next = m_next[run];
    while (next < m_runs[run].end && mayPass(run, next)) ++next;
    if (next == begin) return;
    m_graph.order.push_back({begin, next});
    // Most runs that wait need one point of this one, and wait again where it was not that far.
    for (const std::size_t waiting : m_waiting[run]) m_ready.push_back(waiting);
    m_waiting[run].clear();
  }

  bool mayPass(std::size_t run, GraphPoint point) {
    for (std::uint32_t edge = m_graph.firstEdge[point]; edge < m_graph.firstEdge[point + 1]; ++edge) {
      const GraphPoint source = m_graph.source[edge];
      if (source >= m_runs[run].begin && source < point) continue;
      const std::size_t other = runOf(source);
      if (source < m_next[other]) continue;
      if (other != run) m_waiting[other].push_back(run);
      return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<GraphPoint> stoppedPoints() const {
    std::vector<GraphPoint> points;
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
      if (m_next[run] < m_runs[run].end) points.push_back(m_next[run]);
    }
    return points;
  }

  MaxPlusGraph& m_graph;
  std::vector<PointRun> m_runs;
  std::vector<GraphPoint> m_next;                  // by run: the first point that was not passed
  std::vector<std::vector<std::size_t>> m_waiting; // by run: those that need a point of it
  std::deque<std::size_t> m_ready;
};

// Where the residuals of a point and of those behind it are.
std::size_t residualsFrom(const MaxPlusGraph& graph, GraphPoint point) {
  const auto at = std::ranges::lower_bound(graph.residualAt, point);
  return static_cast<std::size_t>(at - graph.residualAt.begin());
}

} // namespace

bool orderPoints(MaxPlusGraph& graph, std::span<const PointRun> runs,
                 const std::function<bool(std::span<const GraphPoint>)>& release) {
  return Ordering(graph, runs).order(release);
}

std::vector<TimeNs> replayedTimes(const MaxPlusGraph& graph, const GraphLags& lags, Residuals residuals) {
  std::vector<TimeNs> times(graph.points());
  for (const PointRun& run : graph.order) {
    std::size_t residual =
        residuals == Residuals::Kept ? residualsFrom(graph, run.begin) : graph.residualAt.size();
    for (GraphPoint point = run.begin; point < run.end; ++point) {
      TimeNs latest = kRemovedEdge;
      for (std::uint32_t edge = graph.firstEdge[point]; edge < graph.firstEdge[point + 1]; ++edge) {
        if (lags.edges[edge] == kRemovedEdge) continue;
        latest = std::max(latest, times[graph.source[edge]] + lags.edges[edge]);
      }
      if (latest == kRemovedEdge) latest = graph.time[point];
      if (residual < graph.residualAt.size() && graph.residualAt[residual] == point)
        latest += lags.residuals[residual++];
      times[point] = latest;
    }
  }
  return times;
}

TimeNs residualOf(const MaxPlusGraph& graph, const GraphLags& lags, GraphPoint point) {
  const std::size_t at = residualsFrom(graph, point);
  return at < graph.residualAt.size() && graph.residualAt[at] == point ? lags.residuals[at] : 0;
}

std::uint32_t bindingEdge(const MaxPlusGraph& graph, const GraphLags& lags, std::span<const TimeNs> times,
                          GraphPoint point) {
  std::uint32_t binding = kNoPoint;
  TimeNs latest = kRemovedEdge;
  for (std::uint32_t edge = graph.firstEdge[point]; edge < graph.firstEdge[point + 1]; ++edge) {
    if (lags.edges[edge] == kRemovedEdge) continue;
    const TimeNs time = times[graph.source[edge]] + lags.edges[edge];
    if (binding != kNoPoint && time <= latest) continue;
    latest = time;
    binding = edge;
  }
  return binding;
}

std::vector<TimeNs> latestTimes(const MaxPlusGraph& graph, const GraphLags& lags,
                                std::span<const std::pair<GraphPoint, TimeNs>> bounds) {
  std::vector<TimeNs> latest(graph.points(), kAllTime.end);
  for (const auto& [point, bound] : bounds) latest[point] = std::min(latest[point], bound);
  for (auto run = graph.order.rbegin(); run != graph.order.rend(); ++run) {
    std::size_t residual = residualsFrom(graph, run->end);
    for (GraphPoint point = run->end; point-- > run->begin;) {
      TimeNs own = latest[point];
      const bool hasResidual = residual > 0 && graph.residualAt[residual - 1] == point;
      if (hasResidual) --residual;
      if (own == kAllTime.end) continue;
      if (hasResidual) own -= lags.residuals[residual];
      for (std::uint32_t edge = graph.firstEdge[point]; edge < graph.firstEdge[point + 1]; ++edge) {
        if (lags.edges[edge] == kRemovedEdge) continue;
        TimeNs& source = latest[graph.source[edge]];
        source = std::min(source, own - lags.edges[edge]);
      }
    }
  }
  return latest;
}

} // namespace rankscope
