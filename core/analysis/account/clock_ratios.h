// SPDX-License-Identifier: GPL-3.0-or-later
// How much slower than the job's a rank's device computes, by kernels of one kind (name, grid, block) that
// all ranks run: the rank's median over the median of the ranks' medians, weighted by what the kernels take.
// Only kernels of 50 us and more, twenty of a kind at least, without communication beside; only where seven
// in ten kinds are 4 % slower. Everything else has the ratio 1. One pass over the kernels of each rank.
#pragma once

#include "core/analysis/account/kernel_pace.h"
#include "core/analysis/job/analysis.h"
#include "core/base/progress.h"

#include <vector>

namespace rankscope {

inline constexpr double kMinSlowClock = 1.04;

// Of the kinds that are compared, by name, blocks and occupancy.
[[nodiscard]] std::vector<KernelPace> kernelPaces(const RankTrace& trace, const StringTable& names,
                                                  const IntervalSet& communication);

// By RankIndex, of the ranks of the analysis; 1 or at least kMinSlowClock.
[[nodiscard]] std::vector<double> clockRatios(const Analysis& analysis, unsigned threadCount,
                                              const Progress* progress = nullptr);

} // namespace rankscope
