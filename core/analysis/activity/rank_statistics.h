// SPDX-License-Identifier: GPL-3.0-or-later
// Values of one rank in the `ranks` table, over its GPU span: from first to last device activity. Derived
// from DeviceActivity and steps; O(steps).
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/steps/step_windows.h"

#include <cstdint>
#include <optional>

namespace rankscope {

struct RankStatistics {
  std::int64_t steps = 0;         // in the `steps` table; 0 if the recording has no steps
  bool hasDeviceActivity = false; // if false, the following times are 0 and meaningless
  TimeNs gpuSpan = 0;
  TimeNs gpuBusy = 0;
  TimeNs compute = 0;
  TimeNs communication = 0;
  TimeNs overlap = 0;
  TimeNs exposedCommunication = 0;
  TimeNs memory = 0;
  TimeNs idle = 0;
  std::optional<double> overlapPct; // of communication; empty if there is none
};

[[nodiscard]] RankStatistics rankStatistics(const RankTrace& trace, const DeviceActivity& activity,
                                            const StepWindows& steps);

} // namespace rankscope
