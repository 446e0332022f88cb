// SPDX-License-Identifier: GPL-3.0-or-later
// How the job is divided, and what its communication is for: pipelines, dimensions of groups, places of
// ranks, and the dimension of every call. Everything else of this folder starts from it. Of the whole job,
// independent of the analyzed window. Immutable.
#pragma once

#include "core/analysis/parallel/group_dimensions.h"
#include "core/analysis/parallel/rank_grid.h"

#include <vector>

namespace rankscope {

struct JobParallel {
  std::vector<std::vector<CallUse>> uses; // by RankIndex and index of the call
  JobPipelines pipelines;
  GroupDimensions dimensions;
  JobLayout layout;
};

// On up to threadCount threads.
[[nodiscard]] JobParallel jobParallel(const Analysis& analysis, const LayoutSettings& settings,
                                      unsigned threadCount);

} // namespace rankscope
