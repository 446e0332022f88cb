// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's kernels of one kind take. Plain data; clock_ratios.h compares ranks by it.
#pragma once

#include "core/analysis/kernels/kernel_kind.h"

namespace rankscope {

struct KernelPace {
  KernelKind kind;
  double median = 0;
  double total = 0;
};

} // namespace rankscope
