// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of one rank as the `ranks` table shows them, over the rank's GPU span: from the first to the
// last device activity. Derived from DeviceActivity and the steps; O(steps).
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/steps/step_windows.h"

#include <cstdint>
#include <optional>

namespace rankscope {

struct RankStatistics {
  std::int64_t steps = 0;         // of the `steps` table; 0 when the recording has no steps
  std::optional<TimeNs> stepMean; // of their durations there, to the nearest ns
  bool hasDeviceActivity = false; // without it the times below are 0 and meaningless
  TimeNs gpuSpan = 0;
  TimeNs gpuBusy = 0;
  TimeNs compute = 0;
  TimeNs communication = 0;
  TimeNs overlap = 0;
  TimeNs exposedCommunication = 0;
  TimeNs memory = 0;
  TimeNs idle = 0;
  std::optional<double> overlapPct; // of communication; empty without any
};

[[nodiscard]] RankStatistics rankStatistics(const RankTrace& trace, const DeviceActivity& activity,
                                            const StepWindows& steps);

} // namespace rankscope
