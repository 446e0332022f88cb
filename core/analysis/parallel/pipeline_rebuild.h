// SPDX-License-Identifier: GPL-3.0-or-later
// Stage and microbatch of each stretch of work of the ranks of one step, from how their sends and receives
// connect them. Pure: ranks and times in, numbers out.
#pragma once

#include "core/analysis/parallel/pipeline_host.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct RebuiltAction {
  TimeRange range;
  bool backward = false;
  std::int64_t stage = 0;
  std::int64_t microbatch = 0;
};

// One rank in one step.
struct RankWork {
  int rank = 0;
  std::vector<HostStretchOfWork> stretches;
  std::vector<HostTransfer> transfers;
};

// By rank, in the order of time. Empty if the work is no pipeline: not exactly one rank begins without a
// receive, stages do not have equal numbers of microbatches, or partners are missing.
[[nodiscard]] std::vector<std::vector<RebuiltAction>> rebuiltPipeline(std::span<const RankWork> ranks);

} // namespace rankscope
