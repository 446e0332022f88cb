// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a whole recording on which everything about the job is based, as a value: what Analysis
// computes from the events of a rank, or reads from its digest. Beside them are the clock, the match of
// collectives and the comparison of ranks, which need all ranks. Plain data; the size does not depend on the
// number of events, but on calls of collectives, steps, names and gaps.
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/activity/gpu_metrics.h"
#include "core/analysis/activity/host_activity.h"
#include "core/analysis/activity/idle_gaps.h"
#include "core/analysis/activity/launch_statistics.h"
#include "core/analysis/activity/rank_statistics.h"
#include "core/analysis/activity/step_breakdown.h"
#include "core/analysis/collectives/collective_calls.h"
#include "core/analysis/kernels/kernel_statistics.h"
#include "core/analysis/memory/memory_profile.h"
#include "core/analysis/operators/op_statistics.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/step_kinds.h"
#include "core/analysis/steps/step_list.h"
#include "core/analysis/steps/step_windows.h"
#include "core/model/rank_digest.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

class DigestCollector;
struct DigestKeys;

struct DigestedResults {
  DeviceActivity activity;
  std::vector<Step> steps;
  StepWindows stepWindows;
  std::vector<StepFacts> stepFacts;
  std::vector<StepBreakdown> stepBreakdown;
  HostPhases phases;
  HostActivity hostActivity;
  GpuParts gpuParts;
  IdleGaps gaps;
  RankStatistics statistics;
  std::vector<KernelStatistics> kernels;
  LaunchStatistics launches;
  std::vector<CollectiveCall> collectiveCalls;
  OperatorProfile operators;
  MemoryProfile memory;
  // Tables of which the digest has only the largest rows, or a coarser curve. In a section of its own.
  std::vector<std::string> shortened;
};

void collectKeys(const DigestedResults& results, DigestCollector& collector);
[[nodiscard]] std::string packedTableNames(const std::vector<std::string>& tables);
[[nodiscard]] std::vector<std::string> shortenedTables(const RankDigest& digest);
[[nodiscard]] std::string packedResults(const DigestedResults& results, const DigestKeys& keys);
// Empty if the bytes are not results of such a recording. trace: the recording of the digest.
[[nodiscard]] std::optional<DigestedResults> unpackedResults(const RankDigest& digest,
                                                             const RankTrace& trace);

} // namespace rankscope
