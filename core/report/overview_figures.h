// SPDX-License-Identifier: GPL-3.0-or-later
// Key figures of a job for the overview: means over the kept steps of the means over their rows of the
// `steps` table, as in the account; means over the ranks of the `ranks` table; and a one-sentence summary.
// Without steps, figures are of the recording or the range instead of the step. Pure functions; O(ranks *
// steps + pieces).
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/graph_capture.h"
#include "core/analysis/steps/step_window.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A value of each recording, over those where it is known.
struct RankFigure {
  double meanPct = 0;
  double lowestPct = 0;
  RankIndex lowest;
  std::size_t captures = 0; // number of recordings
};

// A part of the step: mean over the steps of the mean over their rows where it is known.
struct StepPart {
  TimeNs mean = 0;
  double sharePct = 0; // of the same mean of the duration of these rows
};

struct PhasePart {
  Phase phase = Phase::None; // None: not annotated
  bool annotated = true;     // whether any recorded name indicates the phase; if not, its figures are unknown
  StepPart part;             // host time over all threads; its share is of the step on the host
  std::optional<StepPart> device; // device time by launching phase; empty without device work
};

struct OverviewFigures {
  std::vector<CutRank> leftOut;   // excluded from all means because their files are truncated
  std::string leftOutRanks;       // their numbers: "2, 5-7"
  RankCounts ranks;               // in scope, without those left out
  bool hasDevices = false;        // whether any of them has device activity
  bool areSteps = false;          // whether figures are per step; else of the recording or its part
  bool recordingHasSteps = false; // also if no step begins in scope
  bool isRange = false;           // of a part of some recording
  std::int64_t steps = 0;         // distinct numbers over all ranks; 0 without steps
  std::int64_t stepsLeftOut = 0;  // others in scope: not among the kept steps, of which all means are
  StepSource stepsFound = StepSource::Marked; // how; the least certain of all recordings

  std::optional<TimeNs> stepMean;   // mean over the kept steps of the mean duration_us of their rows
  std::optional<TimeNs> stepSpread; // sample standard deviation over steps of the ranks' mean
  std::optional<RankFigure> utilization;
  std::optional<RankFigure> smEfficiency;
  std::optional<RankFigure> occupancy;

  // For jobs without devices: on the hosts; idle time is then unknown.
  std::optional<StepPart> compute;
  std::optional<StepPart> communication; // empty if no collective was recorded; likewise the next two
  std::optional<StepPart> overlap;
  std::optional<StepPart> exposed;
  bool callsCollectives = false; // if none was recorded: whether some were called
  std::optional<StepPart> idle;
  double startSkewPct = 0; // the part of exposed->sharePct that is start skew of the recordings
  double recordingPct = 0; // the part of idle->sharePct that is edges and start-up of the recording
  bool isStartUp = false;  // start-up is most of that part
  // If most launches were captured into CUDA graphs, nothing ran, and idle time is no problem of the job.
  GraphCapture graphCapture;
  // The leaf of most other idle time of the account. Dispatch in all phases counts as DispatchOther.
  std::optional<Leaf> idleCause;
  // Of jobs without a device: time of the host without operators or collectives, as on the Gains tab; of a
  // step or, without any, of the time.
  std::optional<StepPart> hostIdle;

  // In the order of a step, "not annotated" last; of the range if no step begins in it. Threads may be in
  // different phases at once, so host shares may add up to more than 100 %.
  std::vector<PhasePart> phases;
};

[[nodiscard]] OverviewFigures overviewFigures(const Analysis& analysis, const JobAccount& account);

// "DataLoader", "forward", ..., "not annotated" for None.
[[nodiscard]] std::string_view phaseTitle(Phase phase);
// Idle time of the job: without the edges and the start-up of the recording; empty if unknown.
[[nodiscard]] std::optional<StepPart> idleOfJob(const OverviewFigures& figures);
// "151 ms at the edges of the recording", "3.00 ms start-up"; empty if that rounds to no share.
[[nodiscard]] std::string recordingText(const OverviewFigures& figures);
// What most idle time of the job is, after "mostly": "DataLoader", "dispatch"; empty if unknown.
[[nodiscard]] std::string idleCauseText(const OverviewFigures& figures);
// The exposed communication that is start skew of the recordings, which costs the job nothing; empty if none.
[[nodiscard]] std::optional<TimeNs> startSkew(const OverviewFigures& figures);

// Severity of a figure, with the thresholds of the findings; empty if unknown or uncritical.
[[nodiscard]] std::optional<Severity> exposedSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> idleSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> utilizationSeverity(const OverviewFigures& figures);
[[nodiscard]] std::optional<Severity> spreadSeverity(const OverviewFigures& figures);

// "Compute-bound with exposed communication: 520 ms compute, 180 ms communication a step, 60.0 % of it
// hidden." The bound is idle or exposed time if it reaches the share of a critical finding (the larger of the
// two), else compute. A recording of CUDA graph capture is said to be one. Idle time of the recording's edges
// and start-up is told apart: it binds no job. The second part is the larger remaining one, if it reaches the
// share of a finding. Empty if nothing is known. late: what lateRanksText says; it binds the job in place of
// the idle and exposed time that waiting for it is a part of.
[[nodiscard]] std::string overviewSentence(const OverviewFigures& figures, std::string_view late = {});
// "rank 3, a straggler", "slow ranks", "uneven input", if the first finding is that and above info; else
// empty.
[[nodiscard]] std::string lateRanksText(const TraceSet& trace, const std::vector<Finding>& findings);

} // namespace rankscope
