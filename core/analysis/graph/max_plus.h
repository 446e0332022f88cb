// SPDX-License-Identifier: GPL-3.0-or-later
// Points of time of which each is the latest of what it depends on plus a lag: T(p) = max over the edges to p
// of (T(source) + lag) + residual(p). A point without edges keeps its recorded time. Points are numbered by
// the builder of the graph and passed in an order in which every source comes before its targets, so that one
// pass over the edges gives all times; nothing recurses. Plain data; O(points + edges) a pass.
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

using GraphPoint = std::uint32_t;
inline constexpr GraphPoint kNoPoint = 0xffffffffu;

// Consecutive points.
struct PointRun {
  GraphPoint begin = 0;
  GraphPoint end = 0;
};

// The lag of an edge that a scenario removed.
inline constexpr TimeNs kRemovedEdge = -(TimeNs{1} << 62);

// What a replay may change: a lag for each edge and each residual of a graph.
struct GraphLags {
  std::vector<TimeNs> edges;
  std::vector<TimeNs> residuals;
};

struct MaxPlusGraph {
  std::vector<TimeNs> time;             // by point, as recorded
  std::vector<std::uint32_t> firstEdge; // by point, and one more: its edges are [firstEdge, next one's)
  std::vector<GraphPoint> source;       // by edge
  GraphLags lags;
  std::vector<GraphPoint> residualAt; // ascending; of lags.residuals
  std::vector<PointRun> order;        // every point once

  [[nodiscard]] std::size_t points() const { return time.size(); }
  [[nodiscard]] std::size_t edges() const { return source.size(); }
  // Takes an edge to the point that is added next.
  void addEdge(GraphPoint from, TimeNs lag) {
    source.push_back(from);
    lags.edges.push_back(lag);
  }
  // Closes the edges of a point.
  GraphPoint addPoint(TimeNs recorded) {
    time.push_back(recorded);
    if (firstEdge.empty()) firstEdge.push_back(0);
    firstEdge.push_back(static_cast<std::uint32_t>(source.size()));
    return static_cast<GraphPoint>(time.size() - 1);
  }
};

// Sets the order. runs: all points, each run in an order in which its own edges go forward; edges between
// runs may go anywhere as long as no circle results. Where one does, release(points) is given the points that
// wait and changes the edges of the graph so that at least one of them need not wait any more; it returns
// false when it cannot, and so does this.
bool orderPoints(MaxPlusGraph& graph, std::span<const PointRun> runs,
                 const std::function<bool(std::span<const GraphPoint>)>& release = {});

enum class Residuals : std::uint8_t { Kept, LeftOut };

// By point. REQUIRES: ordered, and lags as many as those of the graph.
[[nodiscard]] std::vector<TimeNs> replayedTimes(const MaxPlusGraph& graph, const GraphLags& lags,
                                                Residuals residuals = Residuals::Kept);

// The residual of a point; 0 of most.
[[nodiscard]] TimeNs residualOf(const MaxPlusGraph& graph, const GraphLags& lags, GraphPoint point);

// The edge that decided a point's time: the largest, of equal ones the first; nothing of a root. An index of
// edges, kNoPoint when there is none.
[[nodiscard]] std::uint32_t bindingEdge(const MaxPlusGraph& graph, const GraphLags& lags,
                                        std::span<const TimeNs> times, GraphPoint point);

// How late each point may be so that none of the bounds is exceeded; kAllTime.end where it does not matter.
[[nodiscard]] std::vector<TimeNs> latestTimes(const MaxPlusGraph& graph, const GraphLags& lags,
                                              std::span<const std::pair<GraphPoint, TimeNs>> bounds);

} // namespace rankscope
