// SPDX-License-Identifier: GPL-3.0-or-later
// How much slower than its peers' a rank's device computes, by kernels of one kind (name, grid, block) that
// all of them run: the rank's median over the median of the ranks' medians, weighted by what the kernels
// take. Peers do the same work (work_peers.h). A kind counts where the peers call it as often, with inputs of
// the same shapes where these were recorded, and takes longer at every percentile: one name may stand for
// several sizes, and a rank that computes more of the large ones is not slow. Only kernels of 50 us and more,
// twenty of a kind at least, without communication beside; only where seven in ten kinds are 4 % slower.
// Everything else has the ratio 1. One pass over the kernels of each rank; files of ranks that seem slow and
// of two of their peers are read for the shapes.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/progress.h"

#include <vector>

namespace rankscope {

inline constexpr double kMinSlowClock = 1.04;

// By RankIndex, of the ranks of the analysis; 1 or at least kMinSlowClock.
[[nodiscard]] std::vector<double> clockRatios(const Analysis& analysis, unsigned threadCount,
                                              const Progress* progress = nullptr);

} // namespace rankscope
