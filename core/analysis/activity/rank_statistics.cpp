// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/rank_statistics.h"

namespace rankscope {

RankStatistics rankStatistics(const RankTrace& trace, const DeviceActivity& activity,
                              const StepWindows& steps) {
  RankStatistics result;
  if (steps.areSteps()) result.steps = static_cast<std::int64_t>(steps.steps.size());
  result.hasDeviceActivity = trace.hasDeviceEvents();
  result.gpuSpan = activity.span.length();
  result.gpuBusy = activity.busy.totalLength();
  result.compute = activity.compute.totalLength();
  result.communication = activity.communication.totalLength();
  result.overlap = activity.overlap.totalLength();
  result.exposedCommunication = activity.exposed.totalLength();
  result.memory = activity.memory.totalLength();
  result.idle = activity.idle();
  if (result.communication > 0)
    result.overlapPct =
        100.0 * static_cast<double>(result.overlap) / static_cast<double>(result.communication);
  return result;
}

} // namespace rankscope
