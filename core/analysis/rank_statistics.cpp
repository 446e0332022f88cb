// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rank_statistics.h"

namespace rankscope {

namespace {

std::optional<TimeNs> meanDuration(std::span<const Step> steps) {
  if (steps.empty()) return std::nullopt;
  TimeNs total = 0;
  for (const Step& step : steps) total += step.range.length();
  const auto count = static_cast<TimeNs>(steps.size());
  return (total + count / 2) / count;
}

} // namespace

RankStatistics rankStatistics(const RankTrace& trace, const DeviceActivity& activity,
                              std::span<const Step> steps) {
  RankStatistics result;
  result.steps = distinctStepCount(trace, steps);
  result.stepMean = meanDuration(steps);
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
