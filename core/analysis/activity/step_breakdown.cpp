// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/step_breakdown.h"

#include "core/index/interval_builder.h"

namespace rankscope {

namespace {

struct Copies {
  IntervalSet copies;
  IntervalSet sets;
};

Copies copiesOf(const RankTrace& trace) {
  IntervalBuilder copies;
  IntervalBuilder sets;
  for (const Row& row : trace.rows) {
    if (row.firstEvent < trace.deviceBegin || row.firstEvent >= trace.deviceEnd) continue;
    copies.beginRow();
    sets.beginRow();
    for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
      if (trace.events.kind[event] == EventKind::Copy) copies.add(trace.events.range(event));
      if (trace.events.kind[event] == EventKind::Set) sets.add(trace.events.range(event));
    }
  }
  return {copies.take(), sets.take()};
}

// Cumulative unions of the categories in order, without Other.
std::array<IntervalSet, kStepCategoryCount - 1>
coverOfCategories(const RankTrace& trace, const DeviceActivity& activity, const HostActivity& host) {
  const Copies copies = copiesOf(trace);
  std::array<IntervalSet, kStepCategoryCount - 1> covers;
  covers[0] = activity.compute;
  covers[1] = unionOf(covers[0], copies.copies);
  covers[2] = unionOf(covers[1], copies.sets);
  covers[3] = unionOf(covers[2], unionOf(activity.communication, host.collectives));
  covers[4] = unionOf(covers[3], host.runtime);
  covers[5] = unionOf(covers[4], host.dataLoader);
  covers[6] = unionOf(covers[5], host.execution);
  return covers;
}

} // namespace

std::string_view stepCategoryText(StepCategory category) {
  static constexpr std::array<std::string_view, kStepCategoryCount> kTexts{
      "Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU exec", "Other"};
  return kTexts[static_cast<std::size_t>(category)];
}

std::vector<StepBreakdown> stepBreakdown(const RankTrace& trace, const StepWindows& steps,
                                         const DeviceActivity& activity, const HostActivity& host,
                                         const HostPhases& phases) {
  const bool hasDevice = trace.hasDeviceEvents();
  const auto covers = coverOfCategories(trace, activity, host);
  const IntervalSet& compute = hasDevice ? activity.compute : host.compute;
  const IntervalSet& communication = hasDevice ? activity.communication : host.collectives;
  const IntervalSet overlap = hasDevice ? activity.overlap : intersectionOf(compute, communication);
  std::vector<StepBreakdown> result;
  result.reserve(steps.steps.size());
  for (const StepWindow& step : steps.steps) {
    StepBreakdown& b = result.emplace_back();
    TimeNs covered = 0;
    for (std::size_t i = 0; i < covers.size(); ++i) {
      const TimeNs withThis = covers[i].coveredWithin(step.range);
      b.categories[i] = withThis - covered;
      covered = withThis;
    }
    b.categories.back() = step.range.length() - covered;
    b.compute = compute.coveredWithin(step.range);
    b.communication = communication.coveredWithin(step.range);
    b.overlap = overlap.coveredWithin(step.range);
    b.exposedCommunication = b.communication - b.overlap;
    if (hasDevice) b.idle = step.range.length() - activity.busy.coveredWithin(step.range);
    b.dataLoader = phases.dataLoader.coveredWithin(step.host);
    b.forward = phases.forward.coveredWithin(step.host);
    b.loss = phases.loss.coveredWithin(step.host);
    b.backward = phases.backward.coveredWithin(step.host);
    b.optimizer = phases.optimizer.coveredWithin(step.host);
  }
  return result;
}

} // namespace rankscope
