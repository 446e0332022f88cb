// SPDX-License-Identifier: GPL-3.0-or-later
// The activities of a rank and their begins and ends in the order in which a graph is made of them: by time,
// ends of what took time before begins, ends of what took none after them. Times are on the job's clock.
#pragma once

#include "core/analysis/graph/graph_calls.h"
#include "core/analysis/graph/rank_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct PointItem {
  TimeNs time = 0;
  std::uint8_t order = 0; // among those of one time
  bool isEnd = false;
  std::uint32_t activity = 0;
  EventIndex event;
};

// How long after the end of a collective of the host a thread goes on that waited for it so long. Of machines
// with fewer cores than threads, where waking up takes milliseconds.
[[nodiscard]] TimeNs longestWakeUp(TimeNs wait);

class RankPoints {
 public:
  // Fills lanes, activities, collectives and stepEnds of the result, which must outlive this.
  RankPoints(const Analysis& analysis, RankIndex rank, RankGraph& result);

  [[nodiscard]] std::vector<PointItem> items() const;
  [[nodiscard]] TimeRange times(std::uint32_t activity) const { return m_times[activity]; }
  // Device activities by begin.
  [[nodiscard]] std::span<const std::uint32_t> onStream(std::uint32_t lane) const { return m_onStream[lane]; }
  [[nodiscard]] GraphCallRole role(std::uint32_t activity) const { return m_roles[activity]; }
  // By activity: what a call of its name takes when it does not wait.
  [[nodiscard]] std::vector<TimeNs> callOverheads() const;
  // Whether the innermost frame or annotation of the thread in this time waits for another one.
  [[nodiscard]] bool waitsForThread(std::uint32_t lane, TimeRange jobRange) const;
  // Begins of calls of the thread that make a stream wait, ascending.
  [[nodiscard]] std::span<const TimeNs> awaits(std::uint32_t lane) const { return m_awaits[lane]; }

  [[nodiscard]] std::size_t stepIndex(std::uint32_t stepEnd) const;
  [[nodiscard]] const StepWindow& stepOf(std::uint32_t stepEnd) const {
    return m_steps.steps[stepIndex(stepEnd)];
  }
  // Where its part on the host ends; kNoPoint of a rank without host threads.
  [[nodiscard]] GraphPoint hostEndOf(std::uint32_t stepEnd) const;
  [[nodiscard]] TimeRange toJob(TimeRange own) const;
  // Whether the activity was launched in the host's part of the step.
  [[nodiscard]] bool isOfStep(std::uint32_t activity, const StepWindow& step) const;

 private:
  std::uint32_t add(GraphActivityKind kind, std::uint32_t lane, EventIndex event, TimeRange jobRange);
  void addThreads(const std::vector<EventIndex>& collectives);
  void addThread(const GraphThread& thread, std::uint32_t lane);
  void linkBackends();
  void endAtWaiters();
  void addStreams();
  void addSteps();
  [[nodiscard]] TimeRange hostOf(const StepWindow& step, const GraphThread& main) const;

  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const StepWindows& m_steps;
  ClockCorrection m_clock;
  RankGraph& m_result;
  HostThreads m_host;
  GraphThreads m_threads;
  std::vector<TimeRange> m_times;                     // by activity
  std::vector<GraphCallRole> m_roles;                 // by activity
  std::vector<std::vector<std::uint32_t>> m_onStream; // by lane
  std::vector<std::vector<TimeNs>> m_awaits;          // by lane
  std::uint32_t m_firstStepEnd = 0;
  std::vector<std::uint32_t> m_hostEnds; // by step: the mark; kNoPoint without
};

} // namespace rankscope
