// SPDX-License-Identifier: GPL-3.0-or-later
// Launch gaps between kernels that one rule is about: what fuses the kernels saves these gaps too. A pass
// over the pieces of a rank. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_context.h"

namespace rankscope {

// Of the rank's kept steps: gaps of leaf queue.latency between two device events for which the test holds.
[[nodiscard]] IntervalSet gapsBetween(const FindingContext& context, RankIndex rank,
                                      const std::function<bool(EventIndex)>& test);

// Between kernels that have an excess of the leaf.
[[nodiscard]] IntervalSet gapsBetweenExcesses(const FindingContext& context, RankIndex rank, Leaf leaf);

} // namespace rankscope
