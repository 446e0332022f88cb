// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind findingsOf: each adds to the context what it finds. Limits stand beside the rule; their
// source is the catalogue in resources/help/findings.md. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_context.h"

#include <array>
#include <string_view>
#include <vector>

namespace rankscope {

// The leaf of the account whose time is idle because the host launches late.
inline constexpr std::string_view kDispatchLeaf = "host.dispatch";
// Of that time, the lower gain of a rule that bounds it by nothing else: a host twice as fast halves it.
inline constexpr double kFasterHost = 0.5;

struct EfficiencySource;
struct Iteration;
struct JobParallel;
struct NetProblem;
struct SideConclusions;

// Of the logs of NCCL; without a cost.
void addNetworkFindings(FindingContext& context, const std::vector<NetProblem>& problems);

// What a recording is good for.
struct RecordingUse {
  bool benchmark = false; // no training, few kernels: nothing of it is a cost
  bool startup = false;   // mostly start-up: what hosts and kernels cost later is not in it
};

// Edges, start-up, benchmarks, unexplained idle time: asked for before anything is advised.
[[nodiscard]] RecordingUse findRecordingFindings(FindingContext& context);

// Per step, of the rank with most of it; of those that are connected with a rank, if one is given.
[[nodiscard]] double longestExposed(const FindingContext& context, RankIndex with = {});
// parallel: null where it is not known.
void findStragglerFindings(FindingContext& context, const JobParallel* parallel);
// Of these, uneven input and slow hosts.
void findUnevenRanks(FindingContext& context);
void findCommunicationFindings(FindingContext& context);
// Of these, what computation does not hide.
void findExposedCommunication(FindingContext& context);
// Of how the job is divided: pipelines; buckets of DDP and units of FSDP; layers and experts.
void findParallelFindings(FindingContext& context, const JobParallel& parallel);
void findReplicaFindings(FindingContext& context, const JobParallel& parallel);
void findLayerFindings(FindingContext& context, const JobParallel& parallel);
void findExpertFindings(FindingContext& context, const JobParallel& parallel);
void findDispatchFindings(FindingContext& context);
// isForeach: it launches for many parameters at once already.
void findOptimizerFindings(FindingContext& context, bool isForeach);
void findHostFindings(FindingContext& context);
// Of these, what allocates device memory, and work of the host that has a better place.
void findAllocationFindings(FindingContext& context);
void findHostWorkFindings(FindingContext& context);
void findCopyFindings(FindingContext& context);
void findComputeFindings(FindingContext& context);
// Of these, what has no leaf of its own: bias before batch norm, sorting, a clock that drops, and copies for
// contiguity, which are a part of the unfused kernels.
void findKernelFindings(FindingContext& context);
// Of inference servers; by RankIndex.
void findServingFindings(FindingContext& context, const std::vector<std::vector<Iteration>>& iterations);
// Of steps that evaluate, log or save, beside the others.
void findBurstFindings(FindingContext& context);
void findMemoryFindings(FindingContext& context);
// Of files beside traces, and of memory beside its limits.
void findSideFindings(FindingContext& context, const SideConclusions* side);
void findQualityFindings(FindingContext& context);
// Of these, what the profiler lost or cost, and what waits without harm.
void findProfilerFindings(FindingContext& context);
// Of MFU and HFU that cannot be. What operators computed is asked for where the user said something of device
// or model, or where the steps are full of products.
void findImplausibleUse(FindingContext& context, const EfficiencySource& source);

// A finding about the parallelism of the job. Its gain is 0 to `high`, limited to the time of its leaf.
struct ParallelFinding {
  FindingKind kind = FindingKind::ExposedCommunication;
  std::string_view leaf; // of the account; the one that has the time where this has none
  double time = 0;       // nanoseconds per step
  double high = 0;
  std::string title;
  std::string evidence;
  std::string fix;
  RankIndex rank = {}; // if it is about one
  // Findings that include it where they were told, the closest first. Where its leaf is one of communication,
  // exposed communication does.
  std::vector<FindingKind> within = {};
};
// Unless it gains too little to be told.
void addParallelFinding(FindingContext& context, ParallelFinding of);
// The kinds that a finding about all exposed communication may have.
inline constexpr std::array kExposedKinds{
    FindingKind::ExposedCommunication,     FindingKind::NoOverlap, FindingKind::FsdpExposedGather,
    FindingKind::FsdpNoReshardNeeded,      FindingKind::TpExposed, FindingKind::SyncBatchNorm,
    FindingKind::AccumulationWithoutNoSync};

// Nanoseconds per kept step and rank of kernels whose name has a property. what: stands for the property.
[[nodiscard]] double kernelTime(const FindingContext& context, RankIndex rank, std::string_view what,
                                const std::function<bool(std::string_view)>& has);
// Whether most of the time of products is in 16-bit floats.
[[nodiscard]] bool computesIn16Bits(const FindingContext& context);

} // namespace rankscope
