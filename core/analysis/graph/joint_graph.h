// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of all ranks of a job: theirs side by side, joined where they communicate. A collective ends on a
// rank when its last participant has begun, and its own part of the transfer later. The windows of the job
// are from the latest end of one step over all ranks to that of the next, so they touch. Memory: about 100
// bytes an activity. Ranks are built on several threads, with the same result for any number of them.
#pragma once

#include "core/analysis/graph/activity_graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct GraphJoin {
  InstanceIndex instance;
  GraphPoint point = kNoPoint;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  GroupIndex group;
  std::uint32_t first = 0; // participants are joinActivities [first, first + count)
  std::uint32_t count = 0;
  bool partial = false;   // a member of the group was not recorded
  bool uncertain = false; // matched by order or time where the calls differ
  bool dissolved = false; // what others prove contradicts it
  TimeNs clockError = 0;  // by how much clocks seem to be wrong
};

// What a rank's points, lanes and activities begin at in the joint graph.
struct RankPart {
  RankIndex rank;
  PointRun points;
  std::uint32_t firstActivity = 0;
  std::uint32_t activityCount = 0;
  std::vector<GraphLane> lanes;
  std::vector<GraphPoint> stepEnds; // by position in wholeStepWindows; joint points
  RankGraphFacts facts;
};

struct JobWindow {
  std::size_t step = 0; // position in KeptSteps::steps
  int capture = 1;
  bool kept = true;  // means are made of it
  bool asked = true; // it is in the analysis's window
  bool firstOfCapture = false;
  std::vector<GraphPoint> ends; // of its ranks, by rank
  TimeRange range;              // on the job's clock, as recorded
};

struct JobGraph {
  MaxPlusGraph graph;
  std::vector<GraphEdge> kinds;          // by edge
  std::vector<std::uint32_t> activityOf; // by point
  std::vector<GraphActivity> activities; // lanes and points are as in the joint graph
  std::vector<RankPart> ranks;           // by RankIndex
  std::vector<GraphJoin> joins;
  std::vector<std::uint32_t> joinActivities;
  std::vector<JobWindow> windows; // by capture, then time
  std::uint64_t dissolved = 0;

  [[nodiscard]] const RankPart& part(RankIndex rank) const { return ranks[rank.value]; }
  [[nodiscard]] const GraphActivity& activityAt(GraphPoint point) const {
    return activities[activityOf[point]];
  }
  [[nodiscard]] const GraphLane& laneOf(const GraphActivity& activity) const {
    return part(activity.rank).lanes[activity.lane];
  }
  [[nodiscard]] std::span<const std::uint32_t> participants(const GraphJoin& join) const {
    return std::span(joinActivities).subspan(join.first, join.count);
  }
  // The windows that means are made of: kept ones; all where none is.
  [[nodiscard]] std::vector<std::size_t> keptWindows() const;
  // From the window's begin to its end when points are at these times.
  [[nodiscard]] TimeRange windowAt(std::span<const TimeNs> times, std::size_t window) const;
};

// All ranks of the job; those of steps that begin in the analysis's windows are asked about.
[[nodiscard]] JobGraph jobGraph(const Analysis& analysis, unsigned threadCount,
                                const Progress* progress = nullptr);

// The step of a window as people number it; nothing where steps have no numbers.
[[nodiscard]] std::optional<std::int64_t> stepNumberOf(const Analysis& analysis, const JobWindow& window);

} // namespace rankscope
