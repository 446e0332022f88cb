// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of single lags of a job's graph, for what edits them by rule. Pure functions; O(edges of the
// point). Private to the graph.
#pragma once

#include "core/analysis/graph/joint_graph.h"
#include "core/base/whole_number.h"

#include <algorithm>

namespace rankscope {

[[nodiscard]] inline TimeNs scaled(TimeNs time, double factor) {
  return rounded(static_cast<double>(time) * factor);
}

[[nodiscard]] inline TimeNs recordedDuration(const JobGraph& job, std::uint32_t activity) {
  const GraphActivity& of = job.activities[activity];
  return job.graph.time[of.end] - job.graph.time[of.begin];
}

inline void setDuration(const JobGraph& job, std::uint32_t activity, TimeNs duration, GraphLags& lags) {
  const GraphPoint end = job.activities[activity].end;
  for (std::uint32_t edge = job.graph.firstEdge[end]; edge < job.graph.firstEdge[end + 1]; ++edge) {
    if (job.kinds[edge] == GraphEdge::Own) lags.edges[edge] = duration;
  }
}

// How much longer than recorded the activity takes by its own lag, or by that of its transfer.
[[nodiscard]] inline TimeNs durationChange(const JobGraph& job, const GraphActivity& activity,
                                           const GraphLags& lags) {
  TimeNs change = 0;
  for (std::uint32_t edge = job.graph.firstEdge[activity.end]; edge < job.graph.firstEdge[activity.end + 1];
       ++edge) {
    if (job.kinds[edge] != GraphEdge::Own && job.kinds[edge] != GraphEdge::Join) continue;
    if (lags.edges[edge] == kRemovedEdge) continue;
    const TimeNs of = lags.edges[edge] - job.graph.lags.edges[edge];
    if (of != 0) change = of;
  }
  return change;
}

// Nothing where the point has none.
inline void setResidual(const JobGraph& job, GraphPoint point, TimeNs residual, GraphLags& lags) {
  const auto at = std::ranges::lower_bound(job.graph.residualAt, point);
  if (at != job.graph.residualAt.end() && *at == point)
    lags.residuals[static_cast<std::size_t>(at - job.graph.residualAt.begin())] = residual;
}

} // namespace rankscope
