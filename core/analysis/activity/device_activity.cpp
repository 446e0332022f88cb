// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/device_activity.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

struct Ranges {
  std::vector<TimeRange> compute;
  std::vector<TimeRange> communication;
  std::vector<TimeRange> memory;

  std::vector<TimeRange>* of(EventKind kind) {
    switch (kind) {
    case EventKind::Kernel:
      return &compute;
    case EventKind::Collective:
      return &communication;
    case EventKind::Copy:
    case EventKind::Set:
      return &memory;
    default:
      return nullptr;
    }
  }
};

} // namespace

DeviceActivity deviceActivity(const RankTrace& trace, TimeRange window) {
  Ranges ranges;
  TimeRange span{std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()};
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    std::vector<TimeRange>* const kind = ranges.of(trace.events.kind[event]);
    if (kind == nullptr) continue;
    const TimeRange range = trace.events.range(event).clippedTo(window);
    if (range.begin > range.end) continue;
    // Not unitedWith, because events without duration also extend the span.
    span = {std::min(span.begin, range.begin), std::max(span.end, range.end)};
    kind->push_back(range);
  }
  DeviceActivity activity;
  if (window != kAllTime && trace.hasDeviceEvents()) span = window.clippedTo(trace.extent);
  if (span.begin > span.end) return activity;
  activity.span = span;
  activity.compute = IntervalSet(std::move(ranges.compute));
  activity.communication = IntervalSet(std::move(ranges.communication));
  activity.memory = IntervalSet(std::move(ranges.memory));
  activity.busy = unionOf(unionOf(activity.compute, activity.communication), activity.memory);
  activity.overlap = intersectionOf(activity.communication, activity.compute);
  activity.exposed = differenceOf(activity.communication, activity.compute);
  return activity;
}

} // namespace rankscope
