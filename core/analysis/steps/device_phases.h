// SPDX-License-Identifier: GPL-3.0-or-later
// Device time by phase of a training step. Kernels, copies and collectives belong to the phase that launched
// them, regardless of when they run. The phase is that of the launching thread; if that thread has none, the
// phase of another thread at the time of the launch (for work handed to helper threads). The rest is not
// annotated. Unions over all streams; a pass over host and device events.
#pragma once

#include "core/analysis/steps/phases.h"

namespace rankscope {

struct DevicePhases {
  HostPhases phases; // of device work
  IntervalSet notAnnotated;

  // Phase::None: work that is not annotated.
  [[nodiscard]] const IntervalSet& of(Phase phase) const {
    return phase == Phase::None ? notAnnotated : phases.of(phase);
  }
};

// host: of the whole recording.
[[nodiscard]] DevicePhases devicePhases(const RankTrace& trace, const StringTable& names,
                                        const HostPhases& host);

} // namespace rankscope
