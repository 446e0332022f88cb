// SPDX-License-Identifier: GPL-3.0-or-later
// Which compute kernels of a rank take longer than their work needs, and why: for each the first reason that
// holds, in the order of the leaves. Models of their times are those of the kernels' names, of their shapes
// where a rule needs them and they were recorded, of the same work elsewhere. Reads the shapes of softmaxes,
// of products beside them and of batch norms again from the file, of no other operator. A few passes over the
// device events; O(n) but for streams whose events overlap.
#pragma once

#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/activity/owned_time.h"
#include "core/analysis/job/analysis.h"

#include <span>

namespace rankscope {

// compute: what the compute kernels of the rank own. clockRatio: of clockRatios.
[[nodiscard]] KernelExcesses computeExcesses(const Analysis& analysis, RankIndex rank,
                                             std::span<const OwnedTime> compute, double clockRatio);

} // namespace rankscope
