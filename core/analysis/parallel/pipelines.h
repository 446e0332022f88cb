// SPDX-License-Identifier: GPL-3.0-or-later
// Pipelines of a job: which ranks hold which stages, and when each computed which microbatch. From labels
// where they were recorded; otherwise rebuilt from sends, receives and autograd: the k-th send from one rank
// to another is its k-th receive there, and the work after a receive continues the work before the send. What
// does not form a pipeline (rings, broadcasts over sends) gives none. Rules: the guide, Parallelism.
#pragma once

#include "core/analysis/parallel/pipeline_host.h"
#include "core/analysis/parallel/pipeline_schedule.h"

#include <cstdint>
#include <vector>

namespace rankscope {

struct PipelineAction {
  std::size_t step = 0; // in wholeStepWindows of the rank
  ActionKind kind = ActionKind::Forward;
  std::int64_t stage = 0;
  std::int64_t chunk = 0; // of the stages of the rank
  std::int64_t microbatch = ActionLabel::kUnknown;
  TimeRange range;    // of its work, on the clock of the rank; of the label for what does not compute
  TimeNs device = -1; // its kernels, without overlap; -1 on ranks that compute on the host
  TimeNs wait = 0;    // for a receive, before it
  bool rebuilt = false;
};

struct PipelineRank {
  RankIndex rank;
  std::vector<std::int64_t> stages;    // ascending
  std::vector<PipelineAction> actions; // by step, then begin
};

struct Pipeline {
  std::vector<PipelineRank> ranks; // from the first stage on; only those recorded
  std::int64_t stages = 0;         // of all ranks
  std::int64_t rankCount = 0;      // also of those that were not recorded, as far as a group tells
  std::int64_t microbatches = 0;
  ScheduleKind schedule = ScheduleKind::Unknown;

  [[nodiscard]] std::int64_t stagesPerRank() const {
    return rankCount > 0 ? (stages + rankCount - 1) / rankCount : 0;
  }
};

struct JobPipelines {
  std::vector<Pipeline> pipelines; // by the lowest rank; per capture

  [[nodiscard]] bool empty() const { return pipelines.empty(); }
};

// hosts: by RankIndex.
[[nodiscard]] JobPipelines jobPipelines(const Analysis& analysis, const std::vector<PipelineHost>& hosts);

// Orders of the computing actions of one step (the k-th of each rank); a rank without it has an empty order.
[[nodiscard]] std::vector<ActionOrder> ordersOf(const Pipeline& pipeline, std::size_t step);

} // namespace rankscope
