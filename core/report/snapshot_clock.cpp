// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/snapshot_clock.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

std::optional<RankIndex> recordingOf(const Analysis& analysis, const MemorySnapshot& snapshot) {
  if (!snapshot.rank)
    return analysis.ranks().size() == 1 ? std::optional(analysis.ranks().front()) : std::nullopt;
  for (const RankIndex rank : analysis.ranks()) {
    if (analysis.trace().rank(rank).rank == *snapshot.rank) return rank;
  }
  return std::nullopt;
}

// Begins of the annotations of the host, by name, ascending.
std::map<std::string_view, std::vector<TimeNs>> beginsByName(const Analysis& analysis, RankIndex rank) {
  std::map<std::string_view, std::vector<TimeNs>> begins;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  for (std::size_t i = 0; i < trace.events.name.size(); ++i) {
    const EventIndex event(i);
    if (trace.events.kind[event] != EventKind::Annotation || !trace.events.name[event].valid()) continue;
    begins[analysis.trace().names()[trace.events.name[event]]].push_back(trace.events.range(event).begin);
  }
  for (auto& [name, times] : begins) std::ranges::sort(times);
  return begins;
}

// The distance to the nearest begin. What recurs faster than clocks may differ proves nothing.
std::optional<TimeNs> apart(const std::vector<TimeNs>& begins, TimeNs at) {
  const auto after = std::ranges::lower_bound(begins, at);
  const auto nearest =
      after == begins.end() || (after != begins.begin() && at - *std::prev(after) < *after - at)
          ? std::prev(after)
          : after;
  constexpr TimeNs kLeastPeriod = 4 * SnapshotClock::kMostApart;
  if (nearest != begins.begin() && *nearest - *std::prev(nearest) < kLeastPeriod) return std::nullopt;
  if (std::next(nearest) != begins.end() && *std::next(nearest) - *nearest < kLeastPeriod)
    return std::nullopt;
  return std::max(at - *nearest, *nearest - at);
}

} // namespace

std::optional<SnapshotClock> snapshotClock(const Analysis& analysis, const MemorySnapshot& snapshot,
                                           const SnapshotDevice& device) {
  const auto rank = recordingOf(analysis, snapshot);
  if (!rank || device.annotations.empty()) return std::nullopt;
  const auto begins = beginsByName(analysis, *rank);
  std::vector<TimeNs> distances;
  constexpr std::int64_t kMostMicroseconds = INT64_MAX / 4000;
  for (const SnapshotAnnotation& annotation : device.annotations) {
    const auto found = begins.find(snapshot.stacks.text(annotation.name));
    if (found == begins.end() || annotation.begin < 0 || annotation.begin > kMostMicroseconds) continue;
    if (const auto distance = apart(found->second, annotation.begin * 1000)) distances.push_back(*distance);
  }
  if (distances.empty()) return std::nullopt;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return SnapshotClock{*rank, distances.size(), *middle};
}

} // namespace rankscope
