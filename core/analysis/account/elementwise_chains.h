// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of one operation each that follow each other on a stream, three at least, and that one fused kernel
// could replace: it would read and write once, and take about as long as the longest of them. Copies and
// casts between them go with the rest. Means over rows count, as norms that are written out have them. Pure;
// one pass over a stream.
#pragma once

#include "core/analysis/classify/kernel_work.h"
#include "core/model/rank_trace.h"

#include <functional>
#include <span>
#include <vector>

namespace rankscope {

// In order of time, of three kernels at least. mayJoin: of what this chain may be made.
[[nodiscard]] std::vector<std::span<const EventIndex>>
elementwiseChains(std::span<const EventIndex> stream,
                  const std::function<const KernelTraits&(EventIndex)>& traitsOf,
                  const std::function<bool(EventIndex)>& mayJoin);

// What of each time a fused kernel would save: all but as much as the longest takes, by their share.
[[nodiscard]] std::vector<TimeNs> fusedSavings(std::span<const TimeNs> times);

} // namespace rankscope
