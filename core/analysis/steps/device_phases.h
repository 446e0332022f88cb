// SPDX-License-Identifier: GPL-3.0-or-later
// When the devices worked for which part of a training step: kernels, copies and collectives count to the
// phase that launched them, whenever they run. The launch's own thread decides; where nothing names a phase
// on it, the phase that another thread is in at that time, as for work that is handed to a helper. What is
// left was not annotated. Unions over all streams; a pass over the host's and the device's events.
#pragma once

#include "core/analysis/steps/phases.h"

namespace rankscope {

struct DevicePhases {
  HostPhases phases; // of the device
  IntervalSet notAnnotated;

  // Phase::None: what is not annotated.
  [[nodiscard]] const IntervalSet& of(Phase phase) const {
    return phase == Phase::None ? notAnnotated : phases.of(phase);
  }
};

// host: of the whole recording.
[[nodiscard]] DevicePhases devicePhases(const RankTrace& trace, const StringTable& names,
                                        const HostPhases& host);

} // namespace rankscope
