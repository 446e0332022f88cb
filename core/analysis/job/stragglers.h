// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks are stragglers, what removing them would win, and since when. A rank is never judged by the
// time it communicates: when one is late, all other ranks' time grows. Judged is its step time excluding
// communication: the step without its exposed communication, of waiting and of transfer. The margin of a rank
// in a step is that time less the longest of the other ranks: what the step would be shorter by if the rank
// were like the next slowest one, which would be the limit then. A straggler has the longest time in 60 % of
// at least 4 kept steps, recordings of one job taken together, with a median margin of 2 % of the step (10 %
// where ranks compute on their hosts, whose cores they share) and of three times its usual deviation, so that
// chance makes none. A late straggler has such a margin in all of the last steps of a recording and in none
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

// A rank in one step.
struct RankStep {
  std::int64_t number = 0; // of the step
  JobRange range;
  bool kept = true;  // counts in means, see keptSteps
  TimeNs waited = 0; // union of its waits within the step
  ExactSum wait;     // sum of its waits in the step's collectives
  std::int64_t collectives = 0;
  std::int64_t last = 0; // of them, began last
  TimeNs own = 0;        // step time excluding communication
  double slowdown = 1;   // own / median own of the ranks in this step
  TimeNs margin = 0;     // own less the longest own of the other ranks; 0 when it is alone
};

struct RankPace {
  std::vector<RankStep> steps;
  std::optional<double> slowdown; // median over the kept steps; nothing with fewer than two ranks or no steps
  std::optional<double>
      zScore; // of the median step time excluding communication, over the ranks; nothing when all are equal
  bool straggler = false; // or late straggler
};

struct Straggler {
  RankIndex rank;                     // in one recording; a rank of several recordings has one for each
  bool becameSlow = false;            // part-way: it was not from the first step on
  std::vector<std::size_t> keptSteps; // positions in RankPace::steps, ascending
  std::vector<TimeNs> margins;        // by kept step
  std::vector<std::size_t> slowSteps; // those of them with a margin above 0; of a late one, since it is slow
  std::vector<TimeNs> costs;          // by slow step: its margin
  TimeNs cost = 0;                    // their sum
  // What a mean kept step would be shorter by: the median of the margins and the costs by kept step, in
  // order.
  TimeNs gainLow = 0;
  TimeNs gainHigh = 0;
  double slowdown = 1; // median over the slow steps
};

// What of it lies in the steps that begin in a window; nothing when no slow step does.
// steps: of the whole recording.
[[nodiscard]] std::optional<Straggler> withinWindow(const Straggler& straggler, const StepWindows& steps,
                                                    RankRange window);

struct StragglerAnalysis {
  std::vector<RankPace> ranks;       // by RankIndex
  std::vector<Straggler> stragglers; // by cost, largest first
};

// By RankIndex, on the rank's own clock: its steps, and when it communicated and did not compute.
struct RankTimes {
  const StepWindows* steps; // never null, nor the other
  const IntervalSet* exposed;
  bool onHost = false; // computes without a device
};
// kept: of the same ranks and their whole step windows.
[[nodiscard]] StragglerAnalysis findStragglers(const TraceSet& trace, const CollectiveMatch& match,
                                               const ClockAlignment& clocks, CallsByRank calls,
                                               std::span<const RankTimes> times, const KeptSteps& kept);

} // namespace rankscope
