// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that is derived from one TraceSet, each result computed once, by the first caller, and cached.
// An Analysis of a grown TraceSet takes over the results of the ranks that are the same recording as before,
// also those that are only being computed. Any number of threads may ask; a result, once handed out, lives as
// long as the Analysis. Asking costs the computation the first time (a pass over the rank's events) and a
// load after that: off the UI's thread, call computeAll first.
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
#include <vector>

namespace rankscope {

// The part of a job that is asked about. Unions of times are clipped to the window; what is counted (a call
// of a kernel, a gap, a step) belongs to the window in which it begins, whole, so that the counts of windows
// side by side add up.
struct AnalysisScope {
  std::vector<RankIndex> ranks;   // ascending
  std::vector<RankRange> windows; // of the rank at the same place; kWholeRecording: no limit
};

struct AnalysisOptions {
  bool alignClocks = true; // correct the hosts' clocks by what their collectives prove
  bool allSteps = false;   // every step is kept, also the first of a recording, evaluation and cut ones
};

class Analysis {
 public:
  // Of the whole job. trace is never null; previous may be: the analysis of an earlier state of the same job.
  explicit Analysis(std::shared_ptr<const TraceSet> trace, const Analysis* previous = nullptr,
                    AnalysisOptions options = {});
  // Of a part of it; what does not depend on the part is shared with the whole and computed once.
  Analysis(const Analysis& whole, AnalysisScope scope);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  // The ranks that are asked about, ascending. Job-wide tables have rows of these only.
  [[nodiscard]] const std::vector<RankIndex>& ranks() const { return m_ranks; }
  // What of a rank is asked about; empty for a rank that is not.
  [[nodiscard]] RankRange window(RankIndex rank) const { return m_windows[rank.value]; }

  [[nodiscard]] const TraceSet& trace() const { return *m_trace; }
  [[nodiscard]] const std::shared_ptr<const TraceSet>& sharedTrace() const { return m_trace; }

  // Of one rank, REQUIRES: rank is one of trace().ranks().
  [[nodiscard]] const DeviceActivity& activity(RankIndex rank) const;
  [[nodiscard]] const std::vector<Step>& steps(RankIndex rank) const;
  // The steps that begin in the window, with their device work; and what each was spent on, in the same
  // order.
  [[nodiscard]] const StepWindows& stepWindows(RankIndex rank) const;
  [[nodiscard]] const std::vector<StepBreakdown>& stepBreakdown(RankIndex rank) const;
  [[nodiscard]] const HostPhases& phases(RankIndex rank) const;
  // Over the window; without a limit over the steps, or the GPU span when there are none.
  [[nodiscard]] const GpuMetrics& gpuMetrics(RankIndex rank) const;
  // The gaps that begin in the window; their steps are positions in wholeStepWindows.
  [[nodiscard]] const IdleGaps& gaps(RankIndex rank) const;
  [[nodiscard]] const LaunchStatistics& launches(RankIndex rank) const;
  // Whatever the window.
  [[nodiscard]] const StepWindows& wholeStepWindows(RankIndex rank) const;
  [[nodiscard]] const DeviceActivity& wholeActivity(RankIndex rank) const;
  [[nodiscard]] const HostPhases& wholePhases(RankIndex rank) const;
  [[nodiscard]] const RankStatistics& statistics(RankIndex rank) const;
  [[nodiscard]] const std::vector<KernelStatistics>& kernels(RankIndex rank) const;
  // Of the whole recording, whatever the window.
  [[nodiscard]] const OperatorTree& operatorTree(RankIndex rank) const;
  [[nodiscard]] const CallTree& callTree(RankIndex rank) const;
  [[nodiscard]] const OperatorProfile& operators(RankIndex rank) const;
  // memoryOwners, of the whole recording, whatever the window.
  [[nodiscard]] const std::vector<EventIndex>& memoryOwners(RankIndex rank) const;
  [[nodiscard]] const MemoryProfile& memory(RankIndex rank) const;

  // The collectives that the rank took part in, of the whole recording.
  [[nodiscard]] const std::vector<CollectiveCall>& collectiveCalls(RankIndex rank) const;
  [[nodiscard]] const std::vector<CollectiveStatistics>& collectiveStatistics(RankIndex rank) const;
  [[nodiscard]] const RankArrivals& arrivals(RankIndex rank) const;
  // When the rank communicated and did not compute, in the window; of a rank without a device on its host.
  [[nodiscard]] const IntervalSet& exposedCommunication(RankIndex rank) const;

  // Of the whole job, whatever the window and the ranks.
  [[nodiscard]] const JobCollectives& collectives() const;
  [[nodiscard]] const ClockAlignment& clocks() const { return collectives().clocks; }
  // From the first to the last event of the job: what times in tables count from.
  [[nodiscard]] JobRange extent() const;
  // Of the whole job: which of its steps means are made of. By RankIndex and position in wholeStepWindows.
  [[nodiscard]] const KeptSteps& keptSteps() const;
  // Of the whole job.
  [[nodiscard]] const StragglerAnalysis& stragglers() const;

  // Computes all of the above for every rank on up to threadCount threads; returns early when cancelled.
  void computeAll(unsigned threadCount, const Progress* progress = nullptr) const;

 private:
  struct RankResults;
  struct RankInJob;
  struct JobResults;

  [[nodiscard]] const HostActivity& hostActivity(RankIndex rank) const;
  [[nodiscard]] const std::vector<StepFacts>& stepFacts(RankIndex rank) const;

  // Results of the window, and those that are the same for every window.
  [[nodiscard]] const RankResults& results(RankIndex rank) const { return *m_results[rank.value]; }
  [[nodiscard]] const RankResults& whole(RankIndex rank) const { return *m_whole[rank.value]; }

  [[nodiscard]] bool isLimited(RankIndex rank) const { return m_results[rank.value] != m_whole[rank.value]; }

  std::shared_ptr<const TraceSet> m_trace;
  AnalysisOptions m_options;
  std::shared_ptr<const JobResults> m_job;
  std::vector<std::unique_ptr<const RankInJob>> m_inJob; // by rank
  std::vector<RankIndex> m_ranks;
  std::vector<RankRange> m_windows;                          // by rank
  std::vector<std::shared_ptr<const RankResults>> m_whole;   // by rank
  std::vector<std::shared_ptr<const RankResults>> m_results; // by rank; the same when there is no limit
};

// How many ranks an analysis is about: a rank that was recorded in several profiling cycles is one rank with
// several captures. O(ranks log ranks).
struct RankCounts {
  std::size_t ranks = 0;    // different ones
  std::size_t captures = 0; // recordings of them: as many as analysis.ranks()

  [[nodiscard]] bool severalCaptures() const { return captures > ranks; }
};

[[nodiscard]] RankCounts countRanks(const Analysis& analysis);

// Points of time as tables carry them: from the job's first event, on the job's clock.
[[nodiscard]] TimeNs sinceJobBegin(const Analysis& analysis, RankIndex rank, RankTime time);

} // namespace rankscope
