// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs of convolutions and of their gradients, as torch.utils.flop_counter counts them. Only for flopsOf().
// Pure.
#pragma once

#include "core/analysis/efficiency/flop_call.h"
#include "core/analysis/efficiency/flop_rules.h"

namespace rankscope::flops {

[[nodiscard]] FlopWork convolution(const Call& call, ConvLists lists, const FlopLinks& links);
[[nodiscard]] FlopWork convolutionBackward(const Call& call);
// Of one of the two gradients where calls of their own compute them; sizes are those of the call around it.
// parent.
[[nodiscard]] FlopWork convolutionPart(const FlopLinks& links);

} // namespace rankscope::flops
