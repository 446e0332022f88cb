// SPDX-License-Identifier: GPL-3.0-or-later
// What the host of a rank was doing: unions over all its threads, the host's counterpart of DeviceActivity.
// An instant may be in several (a runtime call inside an operator is in both). Python frames are not in it.
// One pass over the host's events; constant.
#pragma once

#include "core/analysis/steps/step_windows.h"
#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

namespace rankscope {

struct HostActivity {
  IntervalSet runtime;     // calls of the CUDA, HIP, XPU, MTIA runtime and driver
  IntervalSet execution;   // operators and annotations; not what marks a step, nor the two that follow
  IntervalSet dataLoader;  // waiting for the next batch
  IntervalSet collectives; // nccl:, gloo: and the like: as long as the collective lasts on the host
  // Only of a rank without device events, whose computation this is: operators of the threads that train,
  // less those that merely hold others and may wait inside.
  IntervalSet compute;
};

[[nodiscard]] HostActivity hostActivity(const RankTrace& trace, const StringTable& names,
                                        const StepWindows& steps);

} // namespace rankscope
