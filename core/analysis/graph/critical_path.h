// SPDX-License-Identifier: GPL-3.0-or-later
// What decided how long a step of the job took: from the latest end of the step back along what each point
// waited for, over all ranks, to the end of the step before. The segments touch, so they add up to the window
// to the nanosecond; a jump to another rank whose clock seems to be ahead is a segment with its sign. What is
// not on the path has slack: so much later it could end without making any step longer. O(length of the path)
// a window, O(edges) for the slack.
#pragma once

#include "core/analysis/graph/joint_graph.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class PathCategory : std::uint8_t {
  Compute,
  Copy,
  Transfer,               // a collective's own time, without waiting for anybody
  CommunicationUnmatched, // its time with what waiting is in it
  Launch,
  KernelGap,
  Operators,
  Runtime,
  Python,
  DataLoader,
  Allocation,
  Synchronization,
  Untraced,
  HandOff,
  Unexplained,
  Clock,
};

inline constexpr std::size_t kPathCategoryCount = static_cast<std::size_t>(PathCategory::Clock) + 1;

// "compute", "copy", "transfer", "communication_unmatched", ...: the words of the tables.
[[nodiscard]] std::string_view pathCategoryText(PathCategory category);

struct PathSegment {
  TimeRange range; // on the job's clock; its end may be before its begin in Clock
  PathCategory category = PathCategory::Untraced;
  RankIndex rank;
  std::uint32_t lane = kNoPoint;     // of the rank; kNoPoint of what is on none
  EventIndex event;                  // that took the time; invalid where none was recorded
  EventIndex launch;                 // of device time: the call; invalid when not recorded
  std::uint32_t activity = kNoPoint; // of the graph: where the segment ends
  std::optional<GraphEdge> edge;     // what its end depended on; nothing where that is not known

  [[nodiscard]] TimeNs duration() const { return range.end - range.begin; }
};

struct WindowPath {
  std::size_t window = 0;            // of JobGraph::windows
  std::vector<PathSegment> segments; // by time
};

// Times and lags of a replay; of the recording: those of the graph. Windows that end at the same time as the
// one before have no segments.
[[nodiscard]] WindowPath criticalPath(const Analysis& analysis, const JobGraph& job, const GraphLags& lags,
                                      std::span<const TimeNs> times, std::size_t window);

struct CategoryTimes {
  std::array<TimeNs, kPathCategoryCount> of{};

  [[nodiscard]] TimeNs operator[](PathCategory category) const {
    return of[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] TimeNs total() const;
};

[[nodiscard]] CategoryTimes categoryTimes(std::span<const PathSegment> segments);

struct JobPath {
  std::vector<WindowPath> windows; // those that are asked about
  std::vector<TimeNs> slack;       // by activity of the graph: until its end makes a step longer
};

[[nodiscard]] JobPath jobPath(const Analysis& analysis, const JobGraph& job, unsigned threadCount);

// The phase of a training step that a segment is of: that of its launch on the host.
[[nodiscard]] Phase phaseOfSegment(const Analysis& analysis, const PathSegment& segment);
// The operator that a segment is of; invalid when none is known.
[[nodiscard]] EventIndex operatorOfSegment(const Analysis& analysis, const PathSegment& segment);

} // namespace rankscope
