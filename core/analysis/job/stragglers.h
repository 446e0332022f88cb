// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks are stragglers, what they cost, and since when. A rank is never judged by the time it
// communicates: when one is late, all other ranks' time grows. Step time excluding communication of a rank:
// the step without the time that the rank waited in collectives (as a union). A straggler began last in most
// collectives (weighed by how late), waited least, and its step time excluding communication was over 1.05
// times the median in most steps; a late straggler became so part-way. One bad step makes no straggler, and
// figures over the steps are medians, so that the first step does not set them. Derived from the job's match;
// O(participants + ranks · steps · log).
#pragma once

#include "core/analysis/collectives/collective_match.h"
#include "core/analysis/steps/step_windows.h"
#include "core/base/exact_sum.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// A rank in one step.
struct RankStep {
  std::int64_t number = 0; // of the step
  JobRange range;
  TimeNs waited = 0;      // union of its waits within the step
  ExactSum wait;          // sum of its waits in the step's collectives
  TimeNs exposedWait = 0; // what of `waited` no computation hides
  std::int64_t collectives = 0;
  std::int64_t last = 0; // of them, began last
  ExactSum skew;         // sum of last begin - first begin over its collectives
  ExactSum skewWhenLast; // of those in which it began last
  TimeNs own = 0;        // range without `waited`
  double slowdown = 1;   // own / median own of the ranks in this step
};

struct RankPace {
  std::vector<RankStep> steps;
  std::optional<double> slowdown; // median over the steps; nothing with fewer than two ranks or no steps
  std::optional<double>
      zScore; // of the median step time excluding communication, over the ranks; nothing when all are equal
  bool straggler = false; // or late straggler
};

struct Straggler {
  RankIndex rank;
  bool becameSlow = false;            // part-way: it was not from the first step on
  std::vector<std::size_t> slowSteps; // positions in RankPace::steps, ascending
  std::vector<TimeNs> exposedCosts;   // by slow step, see exposedCost
  std::vector<TimeNs> costs;          // by slow step: the wait of the median other rank
  TimeNs cost = 0;                    // their sum
  TimeNs costPerStep = 0;             // of one that became slow by slow step, else by step of the recording
  // Sum over the slow steps of the exposed wait of the median other rank: what the steps are longer for it.
  // Waits that computation hides are in the cost and not in this.
  TimeNs exposedCost = 0;
  double slowdown = 1; // median over the slow steps
};

// What of it lies in the steps that begin in a window; nothing when none does.
// steps: of the whole recording.
[[nodiscard]] std::optional<Straggler> withinWindow(const Straggler& straggler, const StepWindows& steps,
                                                    RankRange window);

struct StragglerAnalysis {
  std::vector<RankPace> ranks;       // by RankIndex
  std::vector<Straggler> stragglers; // by cost, largest first
};

inline constexpr double kStragglerSlowdown = 1.05;

// By RankIndex, on the rank's own clock: its steps, and when it computed.
struct RankTimes {
  const StepWindows* steps; // never null, nor the other
  const IntervalSet* compute;
};
[[nodiscard]] StragglerAnalysis findStragglers(const TraceSet& trace, const CollectiveMatch& match,
                                               const ClockAlignment& clocks, CallsByRank calls,
                                               std::span<const RankTimes> times);

} // namespace rankscope
