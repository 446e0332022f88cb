// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/rank_statistics.h"

#include "core/base/exact_sum.h"

namespace rankscope {

namespace {

TimeNs meanDuration(const std::vector<StepWindow>& steps) {
  ExactSum total;
  for (const StepWindow& step : steps) total += step.range.length();
  const auto count = static_cast<TimeNs>(steps.size());
  return (total + count / 2) / count;
}

} // namespace

RankStatistics rankStatistics(const RankTrace& trace, const DeviceActivity& activity,
                              const StepWindows& steps) {
  RankStatistics result;
  if (steps.areSteps()) {
    result.steps = static_cast<std::int64_t>(steps.steps.size());
    result.stepMean = meanDuration(steps.steps);
  }
  result.hasDeviceActivity = trace.deviceBegin < trace.deviceEnd;
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
