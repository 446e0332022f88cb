// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/launch_statistics.h"

#include "core/base/statistics.h"

#include <algorithm>

namespace rankscope {

namespace {

bool isKernel(EventKind kind) {
  return kind == EventKind::Kernel || kind == EventKind::Collective;
}

// Disjoint ranges, sorted by begin.
std::vector<TimeRange> withoutOverlap(std::span<const TimeRange> steps) {
  std::vector<TimeRange> result;
  for (const TimeRange step : steps) {
    if (!step.empty() && (result.empty() || step.begin >= result.back().end)) result.push_back(step);
  }
  return result;
}

bool isWithin(std::span<const TimeRange> steps, TimeNs t) {
  const auto after = std::ranges::upper_bound(steps, t, {}, &TimeRange::begin);
  return after != steps.begin() && std::prev(after)->contains(t);
}

void countKernels(const RankTrace& trace, std::span<const TimeRange> allSteps, TimeRange window,
                  LaunchStatistics& statistics) {
  const std::vector<TimeRange> steps = withoutOverlap(allSteps);
  std::int64_t inSteps = 0;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const TimeNs begin = trace.events.begin[event];
    if (!isKernel(trace.events.kind[event])) continue;
    if (window.contains(begin)) ++statistics.kernels;
    inSteps += isWithin(steps, begin);
  }
  if (!steps.empty())
    statistics.kernelsPerStep = static_cast<double>(inSteps) / static_cast<double>(steps.size());
}

// Adds the kernels of one launch call that begin in the window, and the total work of the call.
void addCall(const RankTrace& trace, std::span<const EventIndex> launched, TimeRange window,
             LaunchStatistics& statistics, std::vector<TimeNs>& delays) {
  const TimeRange call = trace.events.range(trace.deviceDetail(launched.front()).launch);
  ExactSum work;
  std::int64_t kernels = 0;
  for (const EventIndex event : launched) {
    work += trace.events.duration[event];
    const TimeNs begin = trace.events.begin[event];
    if (!isKernel(trace.events.kind[event]) || !window.contains(begin)) continue;
    ++kernels;
    delays.push_back(std::max<TimeNs>(begin - call.end, 0));
    statistics.delayTotal += delays.back();
  }
  if (kernels == 0) return;
  statistics.launched += kernels;
  statistics.callTotal += call.length();
  if (work < call.length()) statistics.shorterThanCall += kernels;
}

void addCalls(const RankTrace& trace, TimeRange window, LaunchStatistics& statistics) {
  std::vector<TimeNs> delays;
  const std::span<const EventIndex> all(trace.byLaunch);
  for (std::size_t first = 0; first < all.size();) {
    const EventIndex launch = trace.deviceDetail(all[first]).launch;
    std::size_t end = first + 1;
    while (end < all.size() && trace.deviceDetail(all[end]).launch == launch) ++end;
    addCall(trace, all.subspan(first, end - first), window, statistics, delays);
    first = end;
  }
  if (delays.empty()) return;
  statistics.delayMedian = wholeMedian(std::move(delays));
}

struct IssuesAndBegins {
  std::vector<TimeNs> issues;
  std::vector<TimeNs> begins;
};

// Of one stream, both sorted.
IssuesAndBegins issuesAndBegins(const RankTrace& trace, const Track& stream) {
  IssuesAndBegins times;
  for (EventIndex event = stream.firstEvent; event < stream.endEvent; ++event.value) {
    const EventIndex launch = trace.deviceDetail(event).launch;
    if (!launch.valid()) continue;
    times.begins.push_back(trace.events.begin[event]);
    times.issues.push_back(std::min(trace.events.begin[launch], times.begins.back()));
  }
  for (std::vector<TimeNs>* list : {&times.issues, &times.begins}) {
    if (!std::ranges::is_sorted(*list)) std::ranges::sort(*list);
  }
  return times;
}

StreamQueue queueOf(const RankTrace& trace, TrackIndex stream, TimeRange window) {
  StreamQueue queue{stream};
  const Track& track = trace.tracks[stream.value];
  for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value)
    queue.launches += trace.deviceDetail(event).launch.valid() && window.contains(trace.events.begin[event]);
  if (queue.launches == 0) return queue;
  const std::vector<QueueLevel> levels = queueLevels(trace, stream);
  const TimeRange span = TimeRange{levels.front().time, levels.back().time}.clippedTo(window);
  double area = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const TimeNs end = i + 1 < levels.size() ? levels[i + 1].time : levels[i].time;
    if (end < window.begin || levels[i].time >= window.end) continue;
    const TimeNs length = TimeRange{levels[i].time, end}.clippedTo(span).length();
    area += static_cast<double>(length) * static_cast<double>(levels[i].depth);
    queue.maxDepth = std::max(queue.maxDepth, levels[i].depth);
  }
  if (!span.empty()) queue.meanDepth = area / static_cast<double>(span.length());
  return queue;
}

} // namespace

std::vector<QueueLevel> queueLevels(const RankTrace& trace, TrackIndex stream) {
  const auto [issues, begins] = issuesAndBegins(trace, trace.tracks[stream.value]);
  std::vector<QueueLevel> levels;
  std::int64_t depth = 0;
  for (std::size_t issued = 0, begun = 0; begun < begins.size();) {
    const TimeNs time = issued < issues.size() ? std::min(issues[issued], begins[begun]) : begins[begun];
    for (; issued < issues.size() && issues[issued] == time; ++issued) ++depth;
    for (; begun < begins.size() && begins[begun] == time; ++begun) --depth;
    levels.push_back({time, depth});
  }
  return levels;
}

std::optional<double> LaunchStatistics::shorterThanCallPct() const {
  if (launched == 0) return std::nullopt;
  return 100.0 * static_cast<double>(shorterThanCall) / static_cast<double>(launched);
}

LaunchStatistics launchStatistics(const RankTrace& trace, std::span<const TimeRange> steps,
                                  TimeRange window) {
  LaunchStatistics statistics;
  countKernels(trace, steps, window, statistics);
  addCalls(trace, window, statistics);
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    if (trace.tracks[t].kind != TrackKind::Stream) continue;
    const StreamQueue queue = queueOf(trace, TrackIndex(t), window);
    if (queue.launches > 0) statistics.queues.push_back(queue);
  }
  std::ranges::stable_sort(statistics.queues, std::greater<>{}, &StreamQueue::launches);
  return statistics;
}

} // namespace rankscope
