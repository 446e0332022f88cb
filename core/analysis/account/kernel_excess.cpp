// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/kernel_excess.h"

#include "core/analysis/activity/idle_gap.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Calls visit(excess, part of it in the window).
template <class Visit>
void forEachWithin(std::span<const KernelExcess> excesses, TimeRange window, Visit&& visit) {
  auto at = std::ranges::partition_point(
      excesses, [&](const KernelExcess& excess) { return excess.owned.end <= window.begin; });
  for (; at != excesses.end() && at->owned.begin < window.end; ++at) {
    const TimeRange inside = at->range().clippedTo(window);
    if (!inside.empty()) visit(*at, inside.length());
  }
}

void add(GainBounds& sum, const KernelExcess& excess, TimeNs high) {
  sum.high += high;
  sum.low += std::min(high, excess.low);
}

// What the stream runs after the event; invalid when it is the last.
EventIndex nextOnStream(const RankTrace& trace, EventIndex event) {
  const Track& track = trace.tracks[trace.trackOf(event).value];
  if (track.rowCount == 1) {
    const EventIndex next(event.value + std::size_t{1});
    return next < track.endEvent ? next : EventIndex();
  }
  const TimeNs begin = trace.events.begin[event];
  EventIndex next;
  for (std::uint32_t r = 0; r < track.rowCount; ++r) {
    const RowIndex index(track.firstRow.value + std::size_t{r});
    const Row& row = trace.rows[index.value];
    const EventIndex before = trace.lastBeginningBy(index, begin);
    const EventIndex candidate = before.valid() ? EventIndex(before.value + std::size_t{1}) : row.firstEvent;
    if (candidate >= row.endEvent) continue;
    if (!next.valid() || trace.events.begin[candidate] < trace.events.begin[next]) next = candidate;
  }
  return next;
}

} // namespace

std::vector<ExcessSum> excessWithin(std::span<const KernelExcess> excesses, const RankTrace& trace,
                                    const StringTable& names, TimeRange window) {
  std::map<std::pair<Leaf, NameId>, ExcessSum> sums;
  forEachWithin(excesses, window, [&](const KernelExcess& excess, TimeNs high) {
    const NameId name = trace.events.name[excess.kernel];
    ExcessSum& sum = sums[{excess.leaf, name}];
    sum.leaf = excess.leaf;
    sum.name = name;
    add(sum.gain, excess, high);
    ++sum.kernels;
    sum.critical += excess.critical ? 1 : 0;
    sum.basis = std::min(sum.basis, excess.basis);
  });
  std::vector<ExcessSum> sorted;
  sorted.reserve(sums.size());
  for (const auto& [key, sum] : sums) sorted.push_back(sum);
  std::ranges::sort(sorted, [&](const ExcessSum& a, const ExcessSum& b) {
    return std::tuple(a.leaf, -a.gain.high, names[a.name]) < std::tuple(b.leaf, -b.gain.high, names[b.name]);
  });
  return sorted;
}

GainBounds gainOf(std::span<const KernelExcess> excesses, Leaf leaf, TimeRange window) {
  GainBounds sum;
  forEachWithin(excesses, window, [&](const KernelExcess& excess, TimeNs high) {
    if (excess.leaf == leaf) add(sum, excess, high);
  });
  return sum;
}

bool isCritical(const RankTrace& trace, EventIndex kernel) {
  const EventIndex next = nextOnStream(trace, kernel);
  if (!next.valid()) return false;
  const TimeNs end = trace.events.range(kernel).end;
  const EventIndex launch = trace.deviceDetail(next).launch;
  if (launch.valid()) return trace.events.range(launch).end <= end;
  return trace.events.begin[next] - end < kLaunchLatency;
}

} // namespace rankscope
