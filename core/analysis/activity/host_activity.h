// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's host did: unions over all its threads. A time may be in several sets (a runtime call inside
// an operator is in both). Excludes Python frames. One pass over host events; immutable.
#pragma once

#include "core/analysis/steps/step_windows.h"
#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

namespace rankscope {

struct HostActivity {
  IntervalSet runtime;     // calls of the CUDA, HIP, XPU, MTIA runtime and driver
  IntervalSet execution;   // operators and annotations, except step annotations and the next two sets
  IntervalSet dataLoader;  // waiting for the next batch
  IntervalSet collectives; // nccl:, gloo: etc., for as long as the collective lasts on the host; without
                           // device events only those of the host, see isCollectiveOfHost
  // Only for ranks without device events, which compute on the host: operators of training threads, except
  // wrappers that may wait.
  IntervalSet compute;
};

[[nodiscard]] HostActivity hostActivity(const RankTrace& trace, const StringTable& names,
                                        const StepWindows& steps);

} // namespace rankscope
