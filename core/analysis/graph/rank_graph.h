// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of one rank as data: activities of its devices and threads, their begins and ends as points, what
// each edge between them stands for, and how much of the recording could be explained. Plain data.
#pragma once

#include "core/analysis/graph/max_plus.h"
#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope {

// What an edge stands for.
enum class GraphEdge : std::uint8_t {
  Own,           // an activity takes its time
  Host,          // the thread came from one point to the next: operators, Python, what was not recorded
  Load,          // the same while data was loaded
  HandOff,       // another thread had stopped before this one went on
  Awaited,       // a thread went on after a collective of the host that it waited for
  Launch,        // from the begin of the call to the begin on the device or on the backend's thread
  Stream,        // one activity of a stream after the other
  Overlap,       // the same where the second one began before the first had ended
  Event,         // one stream waited for another, as recorded
  InferredEvent, // the same, by times alone
  Resource,      // a kernel got the blocks that another one had left
  Back,          // a call returned when the device was done
  BackOverlap,   // the same from the begin of what it waited for
  QueueFull,     // a launch returned when the queue had room
  Join,          // a collective ends after its last participant began
  Arrival,       // a participant of a collective begins
  StepEnd,       // a step ends with its last work
};

inline constexpr std::size_t kGraphEdgeCount = static_cast<std::size_t>(GraphEdge::StepEnd) + 1;

enum class GraphActivityKind : std::uint8_t {
  Device,
  Call,
  HostCollective,
  Load,
  Run,
  StepMark,
  StepEnd,
  Join
};

struct GraphActivity {
  EventIndex event; // invalid of runs, marks and joins
  RankIndex rank;
  GraphPoint begin = kNoPoint; // the same as end of what is one point
  GraphPoint end = kNoPoint;
  std::uint32_t lane = kNoPoint; // of its RankGraph; kNoPoint of steps' ends and joins
  std::uint32_t launch =
      kNoPoint; // of device activities and collectives of a backend's thread: that of the call
  std::uint32_t join = kNoPoint; // of what takes part in one
  GraphActivityKind kind = GraphActivityKind::Run;
  EventKind eventKind = EventKind::Other;
};

// A thread or a stream.
struct GraphLane {
  bool device = false;
  TrackIndex track;     // of the stream, or of the thread's calls; invalid of a thread that has none
  TrackIndex python;    // of the thread's frames; invalid without
  bool backend = false; // a thread that only runs collectives that others started
  int deviceIndex = -1;
  std::int64_t stream = -1;
  std::size_t thread = 0; // of HostThreads::threads
};

// How much of a rank could be explained.
struct RankGraphFacts {
  std::uint64_t deviceActivities = 0;
  std::uint64_t withLaunch = 0;
  ExactSum deviceTime; // sum of durations
  ExactSum launchedTime;
  std::uint64_t inferred = 0;    // events and resources
  std::uint64_t unexplained = 0; // begins with a residual
  ExactSum residual;             // sum
  std::uint64_t blockedCalls = 0;
  ExactSum unexplainedSync;                             // of calls that wait for nothing that was found
  std::uint64_t droppedEdges = 0;                       // against the order of time
  std::array<std::uint64_t, kGraphEdgeCount> boundBy{}; // begins of device activities by what decided them
};

struct RankGraph {
  MaxPlusGraph graph;
  std::vector<GraphEdge> kinds;          // by edge
  std::vector<std::uint32_t> activityOf; // by point
  std::vector<GraphActivity> activities;
  std::vector<GraphLane> lanes;
  // Of collectives, ascending: the event and the activity.
  std::vector<std::pair<EventIndex, std::uint32_t>> collectives;
  std::vector<GraphPoint> stepEnds; // by position in wholeStepWindows
  RankGraphFacts facts;
};

} // namespace rankscope
