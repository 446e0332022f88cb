// SPDX-License-Identifier: GPL-3.0-or-later
// The job in the handful of figures that an overview shows first: means over the rows of the `steps` table
// and over the ranks of the `ranks` table, and one sentence of summary. Where there are no steps,
// figures are of the recording instead of the step. Pure functions of an Analysis; O(ranks * steps +
// gaps).
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/job/cut_ranks.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A figure that each recording has: of those where it is known.
struct RankFigure {
  double meanPct = 0;
  double lowestPct = 0;
  RankIndex lowest;
  std::size_t captures = 0; // recordings
};

// A part of the step: the mean over the rows in which it is known.
struct StepPart {
  TimeNs mean = 0;
  double sharePct = 0; // of the same rows' durations
};

struct PhasePart {
  Phase phase = Phase::None;      // None: what is not annotated
  bool annotated = true;          // whether anything recorded names the phase; else its figures are not known
  StepPart part;                  // of the host, over all threads
  std::optional<StepPart> device; // of the devices, by the phase that launched the work; empty without any
};

struct OverviewFigures {
  std::vector<CutRank> leftOut;   // of all means, because their files end too early
  std::string leftOutRanks;       // their numbers: "2, 5-7"
  RankCounts ranks;               // that are asked about
  bool hasDevices = false;        // whether any of them has device activity
  bool areSteps = false;          // whether figures are of a step; else of the recording or its part
  bool recordingHasSteps = false; // also where none of them begins in the part that is asked about
  std::int64_t steps = 0;         // different numbers, over all ranks; 0 without steps

  std::optional<TimeNs> stepMean;   // of the `steps` rows' duration_us
  std::optional<TimeNs> stepSpread; // standard deviation over the steps of the ranks' mean; two or more steps
  std::optional<RankFigure> utilization;
  std::optional<RankFigure> smEfficiency;
  std::optional<RankFigure> occupancy;

  // Of a job without devices on its hosts; the idle time then is not known.
  std::optional<StepPart> compute;
  std::optional<StepPart> communication; // empty where no collective was recorded, and the two below
  std::optional<StepPart> overlap;
  std::optional<StepPart> exposed;
  std::optional<StepPart> idle;
  // Why the devices were idle for most of the time, within the steps where there are any.
  std::optional<GapCause> idleCause;
  double idleCausePct = 0; // of the listed gaps' time

  // In the order of a step, what is not annotated last; empty without rows. Phases of two threads may run at
  // once, so that the host's shares may add up to more than 100 %.
  std::vector<PhasePart> phases;
};

[[nodiscard]] OverviewFigures overviewFigures(const Analysis& analysis);

// "DataLoader", "forward", ..., "not annotated" for None.
[[nodiscard]] std::string_view phaseTitle(Phase phase);
// "the DataLoader", "launch latency", ...: what the devices waited for, as it stands in a sentence.
[[nodiscard]] std::string_view gapCauseTitle(GapCause cause);

// How bad the figures are, by the measure of the findings; nothing when they are not known or fine.
[[nodiscard]] std::optional<Severity> exposedSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> idleSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> utilizationSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> spreadSeverity(const OverviewFigures& figures);

// "Compute-bound with exposed communication: 520 ms compute, 180 ms communication a step, 60.0 % of it
// hidden." What binds the job: idle or exposed time from the share on that is a critical finding, the larger
// of the two, else computation. A tail: the larger of what remains, from the share on that is a finding.
// Empty when nothing is known.
[[nodiscard]] std::string overviewSentence(const OverviewFigures& figures);

} // namespace rankscope
