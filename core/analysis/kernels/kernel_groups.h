// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of kernels whose calls are told apart by more than their name: by a number of each device event,
// which says what launched it, or in which shape. Entries of a name and class sum to that of
// KernelStatistics. One pass over the device events.
#pragma once

#include "core/analysis/kernels/kernel_statistics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct DetailedWindow {
  const RankTrace* trace; // never null
  TimeRange window;
  // By device event, the same number in all parts for what is the same; empty: 0 for all.
  std::span<const std::uint32_t> details = {};
};

struct DetailedKernel {
  KernelStatistics kernel;
  std::uint32_t detail = 0;
};

// By total, largest first; then by name, class and detail.
[[nodiscard]] std::vector<DetailedKernel> kernelStatisticsByDetail(std::span<const DetailedWindow> parts,
                                                                   const StringTable& names);

} // namespace rankscope
