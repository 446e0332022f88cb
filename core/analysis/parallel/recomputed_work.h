// SPDX-License-Identifier: GPL-3.0-or-later
// Work of the forward pass that activation checkpointing runs again in the backward pass: kernels where the
// rank has a device, else operators. Rules: core/analysis/operators/recomputation.h. One pass over them.
#pragma once

#include "core/analysis/job/analysis.h"

#include <vector>

namespace rankscope {

struct RecomputedWork {
  TimeNs asked = 0; // when its operator began on the host
  TimeRange range;  // of the kernel, or of the operator
};

// By `asked`; without collectives, and without operators that are called by others of them.
[[nodiscard]] std::vector<RecomputedWork> recomputedWork(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
