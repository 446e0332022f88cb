// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/name_statistics.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::ui {
namespace {

std::size_t bucketOf(TimeNs duration, TimeNs shortest, TimeNs longest) {
  // A duration of 0 has no logarithm; a nanosecond more is not visible.
  const double low = std::log(static_cast<double>(shortest) + 1);
  const double high = std::log(static_cast<double>(longest) + 1);
  if (high <= low) return 0;
  const double share = (std::log(static_cast<double>(duration) + 1) - low) / (high - low);
  return std::min(static_cast<std::size_t>(share * NameStatistics::kBuckets), NameStatistics::kBuckets - 1);
}

} // namespace

NameStatistics nameStatistics(const TraceSet& traces, EventRef ref, const std::atomic<bool>& cancel) {
  const EventColumns& own = traces.rank(ref.rank).trace->events;
  const NameId name = own.name[ref.event];
  NameStatistics statistics;
  std::vector<TimeNs> durations;
  TimeNs longest = -1;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    if (cancel) return {};
    const EventColumns& events = traces.ranks()[i].trace->events;
    const auto names = events.name.span();
    const std::size_t before = durations.size();
    for (auto at = std::ranges::find(names, name); at != names.end();
         at = std::find(at + 1, names.end(), name)) {
      const EventIndex event(static_cast<std::size_t>(at - names.begin()));
      durations.push_back(events.duration[event]);
      if (events.duration[event] <= longest) continue;
      longest = events.duration[event];
      statistics.longestEvent = {RankIndex(i), event};
    }
    if (RankIndex(i) == ref.rank) statistics.countOnRank = durations.size() - before;
  }
  if (durations.empty()) return {};
  std::ranges::sort(durations);
  statistics.count = durations.size();
  statistics.shortest = durations.front();
  statistics.longest = durations.back();
  statistics.median = wholeMedian(durations);
  for (const TimeNs duration : durations) {
    statistics.total += duration;
    ++statistics.histogram[bucketOf(duration, statistics.shortest, statistics.longest)];
  }
  const TimeNs duration = own.duration[ref.event];
  statistics.ownBucket = bucketOf(duration, statistics.shortest, statistics.longest);
  const auto [first, last] = std::ranges::equal_range(durations, duration);
  const auto shorter = static_cast<double>(first - durations.begin());
  const auto alike = static_cast<double>(last - first) - 1;
  if (statistics.count > 1)
    statistics.shorterPct = 100 * (shorter + alike / 2) / static_cast<double>(statistics.count - 1);
  return statistics;
}

} // namespace rankscope::ui
