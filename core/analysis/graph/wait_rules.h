// SPDX-License-Identifier: GPL-3.0-or-later
// What waits for what between streams, and between the host and its devices, as a pass over a rank's points
// meets it: recorded waits, and where nothing was recorded what the times allow to conclude. Keeps what of
// each stream was passed. Private to the graph.
#pragma once

#include "core/analysis/graph/rank_points.h"

#include <utility>
#include <vector>

namespace rankscope {

struct InferredWait {
  GraphEdge kind = GraphEdge::InferredEvent;
  GraphPoint source = kNoPoint; // kNoPoint: none was found
};

struct CallWait {
  bool found = false;
  bool unexplained = false; // it is a call that waits, and for what is not known
  GraphEdge kind = GraphEdge::Back;
  GraphPoint source = kNoPoint;
  TimeNs overhead = 0;
};

class WaitRules {
 public:
  WaitRules(const RankTrace& trace, const RankPoints& points, const RankGraph& graph);

  void launchesBegin(std::uint32_t call);
  void beginsOnDevice(std::uint32_t activity);

  // The activity of a stream that began last; kNoPoint before the first.
  [[nodiscard]] std::uint32_t lastOn(std::uint32_t lane) const;
  // Ends of what the begin of an activity waited for by the recording.
  [[nodiscard]] std::vector<GraphPoint> recordedWaits(std::uint32_t activity) const;
  // Ends of what a collective waits for by being called: on each other stream of the device the last kernel
  // that was launched before, as ProcessGroupNCCL makes its stream wait for the thread's. None of streams
  // whose kernel goes on after the begin, so that the recording says that it does not wait.
  [[nodiscard]] std::vector<GraphPoint> launchedBefore(std::uint32_t collective) const;
  // late: from what is explained to the begin.
  [[nodiscard]] InferredWait inferredWait(std::uint32_t activity, TimeRange late) const;
  // overhead: of a call of this name that does not wait.
  [[nodiscard]] CallWait waitedFor(std::uint32_t call, TimeNs overhead) const;
  // The end of the stream's last activity of the step; kNoPoint when there is none.
  [[nodiscard]] GraphPoint lastOfStep(std::uint32_t lane, const StepWindow& step) const;

 private:
  struct Stream {
    std::vector<std::uint32_t> begun; // by begin
    std::int64_t queued = 0;
  };

  [[nodiscard]] bool awaitsBetween(std::uint32_t activity) const;
  [[nodiscard]] GraphPoint latestEndElsewhere(std::uint32_t lane, TimeRange within) const;
  [[nodiscard]] GraphPoint runningElsewhere(std::uint32_t lane, TimeRange late) const;
  [[nodiscard]] CallWait backFrom(std::uint32_t activity, TimeNs callEnd) const;
  [[nodiscard]] CallWait deviceWait(std::uint32_t call) const;
  [[nodiscard]] CallWait recordedBack(std::uint32_t call) const;
  [[nodiscard]] CallWait copyWait(std::uint32_t call) const;
  [[nodiscard]] CallWait fullQueue(std::uint32_t call) const;

  const RankPoints& m_points;
  const RankGraph& m_graph;
  std::vector<Stream> m_streams; // by lane
  // Of trace.waits, ascending: what waits and what it waits for, as activities.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> m_recorded;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> m_recordedBack; // call, activity
  // By call, ascending: what it launched.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> m_launched;
  TimeNs m_medianLaunch = 0;
};

} // namespace rankscope
