// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank's host tells of a pipeline: labels of actions, stretches of forward and backward operators,
// and sends and receives. Stretches are cut by sends and receives, so that each is one action of one
// microbatch. Empty for ranks that have neither labels nor sends. One pass over the operators of training
// threads.
#pragma once

#include "core/analysis/parallel/call_uses.h"
#include "core/analysis/parallel/pipeline_labels.h"

#include <cstddef>
#include <vector>

namespace rankscope {

struct HostAction {
  TimeRange label; // of the annotation
  TimeRange work;  // from its first operator that does not communicate to its end; empty if it has none
  ActionLabel action;
  std::size_t step = 0; // in wholeStepWindows
};

struct HostStretchOfWork {
  TimeRange range;
  bool backward = false;
  std::size_t step = 0;
};

struct HostTransfer {
  TimeNs begin = 0; // of the call
  TimeNs done = 0;  // when a receive was waited for; of its call where that was not recorded
  int peer = -1;    // rank of the job
  bool send = false;
  std::size_t step = 0;
};

struct PipelineHost {
  std::vector<HostAction> labels;           // by begin
  std::vector<HostStretchOfWork> stretches; // by begin
  std::vector<HostTransfer> transfers;      // by begin
  bool overlapped = false;                  // labels are parts of chunks that DualPipe overlaps
  // Of the group of the pipeline, also those not recorded; 0 unknown. Set by jobParallel.
  std::int64_t groupRanks = 0;
};

// members: ranks of the group that peers are places in; empty if they are ranks of the job.
[[nodiscard]] PipelineHost pipelineHost(const Analysis& analysis, RankIndex rank,
                                        const std::vector<CallUse>& uses,
                                        const std::vector<std::int32_t>& members);

} // namespace rankscope
