// SPDX-License-Identifier: GPL-3.0-or-later
// Finds stragglers, the time their removal would save, and when they became slow. The time in communication
// is no evidence, because it grows on all other ranks when one is late. Compared is the step time excluding
// communication: the step without its exposed communication, both waiting and transfer. A rank's margin in a
// step is this time minus the longest one of the other ranks that may wait for it (see connectedRanks): the
// time saved if the rank were as fast as the next slowest. A straggler has the longest time in 60 % of the
// kept steps (all recordings together), and a median margin of at least 2 % of the step (10 % if ranks
// compute on hosts, whose cores they share) and of three times its usual deviation; of 2 or 3 kept steps in
// all, by twice as much. A late straggler has such a margin in all last steps of a recording and in none
// before. Derived from the job's match; O(participants + ranks * steps * log).
#pragma once

#include "core/analysis/collectives/collective_match.h"
#include "core/analysis/steps/kept_steps.h"
#include "core/analysis/steps/step_windows.h"
#include "core/base/exact_sum.h"
#include "core/index/interval_set.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// One step of a rank.
struct RankStep {
  std::int64_t number = 0; // of the step
  JobRange range;
  bool kept = true;  // included in means, see keptSteps
  TimeNs waited = 0; // union of its waits within the step
  ExactSum wait;     // sum of its waits in the step's collectives
  std::int64_t collectives = 0;
  std::int64_t last = 0; // of them, those it began last
  TimeNs own = 0;        // step time excluding communication
  double slowdown = 1;   // own / median own of the ranks in this step
  TimeNs margin = 0;     // own minus the longest own of the other connected ranks; 0 without
};

struct RankPace {
  std::vector<RankStep> steps;
  std::optional<double> slowdown; // median over kept steps; empty for a single rank or without steps
  std::optional<double> zScore;   // of the median own over the ranks; empty if all are equal
  bool straggler = false;         // including late stragglers
};

struct Straggler {
  RankIndex rank;          // in one recording; a rank with several recordings has one entry for each
  bool becameSlow = false; // late straggler: slow only from some step on
  std::vector<std::size_t> keptSteps; // indices in RankPace::steps, ascending
  std::vector<TimeNs> margins;        // by kept step
  std::vector<std::size_t> slowSteps; // of these, with a margin above 0 (late stragglers: since slow)
  std::vector<TimeNs> costs;          // margin by slow step
  TimeNs cost = 0;                    // sum of the costs
  // Time saved per mean kept step: the median of the margins and the costs per kept step, in ascending order.
  TimeNs gainLow = 0;
  TimeNs gainHigh = 0;
  double slowdown = 1; // median over the slow steps
};

// The part of a straggler in the steps that begin in a window; empty if none of its slow steps does. steps:
// of the whole recording.
[[nodiscard]] std::optional<Straggler> withinWindow(const Straggler& straggler, const StepWindows& steps,
                                                    RankRange window);

struct StragglerAnalysis {
  std::vector<RankPace> ranks;       // by RankIndex
  std::vector<Straggler> stragglers; // by cost, largest first
};

// By RankIndex, on the rank's clock: its steps and its exposed communication.
struct RankTimes {
  const StepWindows* steps; // not null, like `exposed`
  const IntervalSet* exposed;
  bool onHost = false; // computes on the host
};
// kept: of the same ranks and their wholeStepWindows.
[[nodiscard]] StragglerAnalysis findStragglers(const TraceSet& trace, const CollectiveMatch& match,
                                               const ClockAlignment& clocks, CallsByRank calls,
                                               std::span<const RankTimes> times, const KeptSteps& kept);

} // namespace rankscope
