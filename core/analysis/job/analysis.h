// SPDX-License-Identifier: GPL-3.0-or-later
// All results derived from a TraceSet. Each is computed once, by the first caller, and cached. An Analysis of
// a larger TraceSet reuses the results of unchanged ranks, also those still being computed. Thread-safe;
// references stay valid as long as the Analysis. The first call of a result computes it (a pass over the
// rank's events), later calls cost an atomic load. Before using results on the UI thread, call computeAll on
// a worker.
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/activity/gpu_metrics.h"
#include "core/analysis/activity/idle_gaps.h"
#include "core/analysis/activity/launch_statistics.h"
#include "core/analysis/activity/rank_statistics.h"
#include "core/analysis/activity/step_breakdown.h"
#include "core/analysis/collectives/collective_calls.h"
#include "core/analysis/collectives/collective_statistics.h"
#include "core/analysis/collectives/job_collectives.h"
#include "core/analysis/job/stragglers.h"
#include "core/analysis/kernels/kernel_statistics.h"
#include "core/analysis/memory/memory_profile.h"
#include "core/analysis/operators/call_tree.h"
#include "core/analysis/operators/op_statistics.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/analysis/steps/kept_steps.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/step_list.h"
#include "core/analysis/steps/step_windows.h"
#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope {

// The part of a job to analyze. Unions of times and idle gaps are clipped to the window. Counted items
// (kernel calls, steps) belong, undivided, to the window in which they begin, so counts of adjacent windows
// add up.
struct AnalysisScope {
  std::vector<RankIndex> ranks;   // ascending
  std::vector<RankRange> windows; // of the rank at the same index; kWholeRecording: no limit
};

struct AnalysisOptions {
  bool alignClocks = true; // correct the clocks of hosts using blocking collectives
  bool allSteps = false;   // keep every step, including first, evaluation and truncated steps

  bool operator==(const AnalysisOptions&) const = default;
};

class Analysis {
 public:
  // Analyzes the whole job. trace must not be null. previous: analysis of an earlier state of the job, or
  // null.
  explicit Analysis(std::shared_ptr<const TraceSet> trace, const Analysis* previous = nullptr,
                    AnalysisOptions options = {});
  // Analyzes a part of the job. Results that do not depend on the part are shared with `whole`.
  Analysis(const Analysis& whole, AnalysisScope scope);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  // Ranks in scope, ascending. Tables of the job have rows for these ranks only.
  [[nodiscard]] const std::vector<RankIndex>& ranks() const { return m_ranks; }
  // Window of a rank; empty for a rank out of scope.
  [[nodiscard]] RankRange window(RankIndex rank) const { return m_windows[rank.value]; }

  [[nodiscard]] const AnalysisOptions& options() const { return m_options; }
  [[nodiscard]] const TraceSet& trace() const { return *m_trace; }
  [[nodiscard]] const std::shared_ptr<const TraceSet>& sharedTrace() const { return m_trace; }

  // Results of one rank. REQUIRES: rank is one of trace().ranks().
  [[nodiscard]] const DeviceActivity& activity(RankIndex rank) const;
  [[nodiscard]] const std::vector<Step>& steps(RankIndex rank) const;
  // Steps that begin in the window, extended by their device work; and their breakdown, in the same order.
  [[nodiscard]] const StepWindows& stepWindows(RankIndex rank) const;
  [[nodiscard]] const std::vector<StepBreakdown>& stepBreakdown(RankIndex rank) const;
  [[nodiscard]] const HostPhases& phases(RankIndex rank) const;
  // Sums by step and time between steps; without steps over the GPU span. Of the whole recording.
  [[nodiscard]] const GpuParts& gpuParts(RankIndex rank) const;
  // Over the steps of countedSteps; if all steps are kept, from the first begin to the last end. Without
  // steps over the GPU span.
  [[nodiscard]] const GpuMetrics& gpuMetrics(RankIndex rank) const;
  // Gaps in the window, of one at its edge the part inside. Their step indices refer to wholeStepWindows.
  [[nodiscard]] const IdleGaps& gaps(RankIndex rank) const;
  [[nodiscard]] const LaunchStatistics& launches(RankIndex rank) const;
  // Results of the whole recording, independent of the window.
  [[nodiscard]] const StepWindows& wholeStepWindows(RankIndex rank) const;
  [[nodiscard]] const DeviceActivity& wholeActivity(RankIndex rank) const;
  [[nodiscard]] const HostPhases& wholePhases(RankIndex rank) const;
  [[nodiscard]] const RankStatistics& statistics(RankIndex rank) const;
  [[nodiscard]] const std::vector<KernelStatistics>& kernels(RankIndex rank) const;
  // Of the whole recording, independent of the window.
  [[nodiscard]] const OperatorTree& operatorTree(RankIndex rank) const;
  [[nodiscard]] const CallTree& callTree(RankIndex rank) const;
  [[nodiscard]] const OperatorProfile& operators(RankIndex rank) const;
  // Result of memoryOwners for the whole recording.
  [[nodiscard]] const std::vector<EventIndex>& memoryOwners(RankIndex rank) const;
  [[nodiscard]] const MemoryProfile& memory(RankIndex rank) const;

  // The rank's collectives in the whole recording.
  [[nodiscard]] const std::vector<CollectiveCall>& collectiveCalls(RankIndex rank) const;
  [[nodiscard]] const std::vector<CollectiveStatistics>& collectiveStatistics(RankIndex rank) const;
  [[nodiscard]] const RankArrivals& arrivals(RankIndex rank) const;
  // Time in the window with communication and without compute; on the host for ranks without a device.
  [[nodiscard]] const IntervalSet& exposedCommunication(RankIndex rank) const;

  // Of the whole job, independent of windows and ranks.
  [[nodiscard]] const JobCollectives& collectives() const;
  [[nodiscard]] const ClockAlignment& clocks() const { return collectives().clocks; }
  // From the first to the last event of the job. Times in tables are relative to its begin.
  [[nodiscard]] JobRange extent() const;
  // Steps included in means, for the whole job. By RankIndex and index in wholeStepWindows.
  [[nodiscard]] const KeptSteps& keptSteps() const;
  // By index in stepWindows(rank).steps: whether means are over it, or why not.
  [[nodiscard]] std::vector<StepStatus> stepStatus(RankIndex rank) const;
  // Indices in stepWindows(rank).steps of the steps that means of the rank are over: those that are kept;
  // all, if none of them is. Empty without steps.
  [[nodiscard]] std::vector<std::size_t> countedSteps(RankIndex rank) const;
  // Mean time of these steps, rounded to ns.
  [[nodiscard]] std::optional<TimeNs> stepMean(RankIndex rank) const;
  // Of the whole job.
  [[nodiscard]] const StragglerAnalysis& stragglers() const;

  // The same within windowsOfKeptSteps, for sums per step. Null where no part can be analyzed: without steps,
  // in digests.
  [[nodiscard]] const std::shared_ptr<const Analysis>& ofKeptSteps() const;

  // Computes all results above for every rank on up to threadCount threads. Returns early if cancelled.
  void computeAll(unsigned threadCount, const Progress* progress = nullptr) const;

 private:
  struct RankResults;
  struct RankInJob;
  struct JobResults;
  struct KeptPart;

  [[nodiscard]] const HostActivity& hostActivity(RankIndex rank) const;
  [[nodiscard]] std::vector<TimeRange> gpuRanges(RankIndex rank) const;
  [[nodiscard]] const std::vector<StepFacts>& stepFacts(RankIndex rank) const;

  // Results of the window, and results that are independent of it.
  [[nodiscard]] const RankResults& results(RankIndex rank) const { return *m_results[rank.value]; }
  [[nodiscard]] const RankResults& whole(RankIndex rank) const { return *m_whole[rank.value]; }

  [[nodiscard]] bool isLimited(RankIndex rank) const { return m_results[rank.value] != m_whole[rank.value]; }

  std::shared_ptr<const TraceSet> m_trace;
  AnalysisOptions m_options;
  std::shared_ptr<const JobResults> m_job;
  std::vector<std::unique_ptr<const RankInJob>> m_inJob; // by rank
  std::unique_ptr<const KeptPart> m_keptPart;
  std::vector<RankIndex> m_ranks;
  std::vector<RankRange> m_windows;                          // by rank
  std::vector<std::shared_ptr<const RankResults>> m_whole;   // by rank
  std::vector<std::shared_ptr<const RankResults>> m_results; // by rank; same as m_whole if there is no limit
};

// Number of ranks. A rank recorded in several profiling cycles is one rank with several captures. O(ranks log
// ranks).
struct RankCounts {
  std::size_t ranks = 0;    // distinct ranks
  std::size_t captures = 0; // recordings, equal to analysis.ranks().size()

  [[nodiscard]] bool severalCaptures() const { return captures > ranks; }
};

[[nodiscard]] RankCounts countRanks(const Analysis& analysis);

// Time as shown in tables: on the job's clock, relative to the job's first event.
[[nodiscard]] TimeNs sinceJobBegin(const Analysis& analysis, RankIndex rank, RankTime time);

} // namespace rankscope
