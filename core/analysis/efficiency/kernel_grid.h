// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that kernels were launched with: from their blocks per multiprocessor, else from the recorded grid,
// which is read again from the file. Ask for few kernels, in one call per rank: one pass over its file, not
// for a UI thread.
#pragma once

#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

struct KernelGrid {
  std::int64_t blocks = 0;
  int perMultiprocessor = 1; // that run at once on one, as far as the occupancy tells
};

// Of "[264, 1, 1] · [128, 1, 1]": blocks, and threads of one (0 not known). Nothing when the text is another,
// or the unit of the grid is not known. launch: the call of the host; empty when it was not recorded.
struct LaunchedBlocks {
  std::int64_t blocks = 0;
  std::int64_t threads = 0;
};
[[nodiscard]] std::optional<LaunchedBlocks> launchedBlocks(std::string_view gridAndBlock,
                                                           std::string_view launch);

// Blocks of one kernel that fit on a multiprocessor, from the occupancy that so many reach; 1 when it tells
// nothing.
[[nodiscard]] int blocksThatFit(double occupancyPct, std::int64_t threadsPerBlock,
                                int threadsPerMultiprocessor);

// Of those of the kernels whose blocks are known. multiprocessors: of the rank's device.
[[nodiscard]] std::map<EventIndex, KernelGrid> kernelGrids(const TraceSet& job, RankIndex rank,
                                                           const std::vector<EventIndex>& kernels,
                                                           int multiprocessors,
                                                           const Progress* progress = nullptr);

} // namespace rankscope
