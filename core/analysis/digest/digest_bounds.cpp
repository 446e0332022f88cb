// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/digest/digest_bounds.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rankscope {

namespace {

// Rows are sorted by cost, so the costliest stay.
template <class Row>
void cut(std::vector<Row>& rows, std::size_t limit, const char* table, std::vector<std::string>& shortened) {
  if (rows.size() <= limit) return;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(limit), rows.end());
  shortened.emplace_back(table);
}

void cutGaps(IdleGaps& gaps, std::size_t limit, std::vector<std::string>& shortened) {
  std::vector<TimeNs> lengths;
  lengths.reserve(gaps.ofDevices.size() + gaps.ofStreams.size());
  for (const std::vector<IdleGap>* const list : {&gaps.ofDevices, &gaps.ofStreams})
    for (const IdleGap& gap : *list) lengths.push_back(gap.range.length());
  if (lengths.size() <= limit) return;
  std::ranges::nth_element(lengths, lengths.begin() + static_cast<std::ptrdiff_t>(limit), std::greater<>());
  // Of several as long as this one none stays, so that which ones does not depend on their order.
  const TimeNs longest = lengths[limit];
  for (std::vector<IdleGap>* const list : {&gaps.ofDevices, &gaps.ofStreams})
    std::erase_if(*list, [&](const IdleGap& gap) { return gap.range.length() <= longest; });
  shortened.emplace_back("gaps");
}

// Of each of limit / 2 equal parts of the curve its lowest and its highest level.
void coarsen(std::vector<MemoryLevel>& levels, std::size_t limit, std::vector<std::string>& shortened) {
  if (levels.size() <= limit) return;
  const std::size_t parts = std::max<std::size_t>(limit / 2, 1);
  const auto byAllocated = [](const MemoryLevel& a, const MemoryLevel& b) {
    return a.allocated < b.allocated;
  };
  std::vector<MemoryLevel> coarse;
  coarse.reserve(2 * parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const auto first = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() * i / parts);
    const auto last = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() * (i + 1) / parts);
    const auto [low, high] = std::minmax_element(first, last, byAllocated);
    coarse.push_back(low < high ? *low : *high);
    if (low != high) coarse.push_back(low < high ? *high : *low);
  }
  levels = std::move(coarse);
  shortened.emplace_back("memory_curve");
}

// Closes the shortest pauses, so that at most `limit` ranges remain.
void coarsen(IntervalSet& set, std::size_t limit) {
  if (set.size() <= limit) return;
  const std::span<const TimeRange> ranges = set.ranges();
  std::vector<TimeNs> pauses;
  pauses.reserve(ranges.size());
  for (std::size_t i = 1; i < ranges.size(); ++i) pauses.push_back(ranges[i].begin - ranges[i - 1].end);
  std::ranges::nth_element(pauses, pauses.begin() + static_cast<std::ptrdiff_t>(limit - 1), std::greater<>());
  const TimeNs closed = pauses[limit - 1];
  std::vector<TimeRange> coarse{ranges.front()};
  coarse.reserve(limit);
  for (const TimeRange range : ranges.subspan(1)) {
    if (range.begin - coarse.back().end > closed)
      coarse.push_back(range);
    else
      coarse.back().end = range.end;
  }
  set = IntervalSet(std::move(coarse));
}

// The same total between any two of the times that are asked about: of each of equal parts between them the
// covered time as one range.
void condense(IntervalSet& set, std::vector<TimeNs> asked, std::size_t limit) {
  if (set.size() <= limit) return;
  const std::span<const TimeRange> ranges = set.ranges();
  asked.push_back(ranges.front().begin);
  asked.push_back(ranges.back().end);
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  const auto parts = static_cast<TimeNs>(std::max<std::size_t>(1, limit / asked.size()));
  std::vector<TimeRange> condensed;
  condensed.reserve(limit + asked.size());
  for (std::size_t i = 1; i < asked.size(); ++i) {
    const TimeNs each = std::max<TimeNs>(1, (asked[i] - asked[i - 1]) / parts);
    for (TimeRange part{asked[i - 1], 0}; part.begin < asked[i]; part.begin = part.end) {
      const bool last = asked[i] - part.begin < 2 * each;
      part.end = last ? asked[i] : part.begin + each;
      const TimeNs covered = set.coveredWithin(part);
      if (covered == 0) continue;
      const TimeRange first = *std::ranges::upper_bound(ranges, part.begin, {}, &TimeRange::end);
      const TimeNs begin = std::min(std::max(first.begin, part.begin), part.end - covered);
      condensed.push_back({begin, begin + covered});
    }
  }
  set = IntervalSet(std::move(condensed));
}

// Begins and ends of the ranges whose exposed communication must stay exact.
std::vector<TimeNs> timesOfExposure(const DigestedResults& results) {
  std::vector<TimeNs> times;
  times.reserve(2 * (results.collectiveCalls.size() + results.stepWindows.steps.size()));
  const auto add = [&](TimeRange range) {
    times.push_back(range.begin);
    times.push_back(range.end);
  };
  for (const CollectiveCall& call : results.collectiveCalls) add(call.range.ns());
  for (const StepWindow& step : results.stepWindows.steps) add(step.range);
  return times;
}

} // namespace

void boundResults(DigestedResults& results, bool onHost, const DigestBounds& bounds) {
  std::vector<std::string>& shortened = results.shortened;
  cut(results.kernels, bounds.names, "kernels", shortened);
  cut(results.operators.operators, bounds.names, "operators", shortened);
  cut(results.memory.operators, bounds.names, "memory", shortened);
  cutGaps(results.gaps, bounds.gaps, shortened);
  for (DeviceMemory& device : results.memory.devices) coarsen(device.levels, bounds.levels, shortened);
  DeviceActivity& activity = results.activity;
  for (IntervalSet* const set :
       {&activity.busy, &activity.compute, &activity.communication, &activity.memory, &activity.overlap})
    coarsen(*set, bounds.intervals);
  condense(activity.exposed, timesOfExposure(results), 8 * bounds.intervals);
  HostPhases& phases = results.phases;
  for (IntervalSet* const set : {&phases.dataLoader, &phases.loss, &phases.backward, &phases.optimizer})
    coarsen(*set, bounds.intervals);
  // Says which collectives were launched outside of it.
  coarsen(phases.forward, 8 * bounds.intervals);
  IntervalSet exposed;
  if (onHost) exposed = differenceOf(results.hostActivity.collectives, results.hostActivity.compute);
  condense(exposed, timesOfExposure(results), 8 * bounds.intervals);
  results.hostActivity = {};
  results.hostActivity.collectives = std::move(exposed);
  std::ranges::sort(shortened);
  shortened.erase(std::unique(shortened.begin(), shortened.end()), shortened.end());
}

} // namespace rankscope
