// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_trace.h"

#include <algorithm>
#include <charconv>

namespace rankscope {

std::span<const EventIndex> RankTrace::launchedBy(EventIndex runtimeCall) const {
  const auto launchOf = [&](EventIndex event) { return deviceDetail(event).launch; };
  const auto first = std::ranges::lower_bound(byLaunch, runtimeCall, {}, launchOf);
  return {first, std::ranges::upper_bound(first, byLaunch.end(), runtimeCall, {}, launchOf)};
}

const CollectiveDetail* RankTrace::collectiveOf(EventIndex event) const {
  const auto found = std::ranges::lower_bound(collectives, event, {}, &CollectiveDetail::event);
  return found != collectives.end() && found->event == event ? &*found : nullptr;
}

RowIndex RankTrace::rowOf(EventIndex event) const {
  const auto after = std::ranges::upper_bound(rows, event, {}, &Row::firstEvent);
  // Empty rows have the same firstEvent as the row that contains the event, which comes last.
  return RowIndex(static_cast<std::size_t>(after - rows.begin()) - 1);
}

EventIndex RankTrace::lastBeginningBy(RowIndex row, TimeNs t) const {
  const Row& r = rows[row.value];
  const auto begins = events.begin.span().subspan(r.firstEvent.value, r.size());
  const auto after = std::upper_bound(begins.begin(), begins.end(), t);
  if (after == begins.begin()) return {};
  return EventIndex(r.firstEvent.value + static_cast<std::size_t>(after - begins.begin()) - 1);
}

EventIndex RankTrace::parentOf(EventIndex event) const {
  const RowIndex row = rowOf(event);
  const Track& track = tracks[rows[row.value].track.value];
  const TimeRange range = events.range(event);
  const std::uint32_t top = row.value - std::min(row.value - track.firstRow.value, kMaxLevels);
  for (std::uint32_t upper = row.value; upper-- > top;) {
    const EventIndex candidate = lastBeginningBy(RowIndex(upper), range.begin);
    if (candidate.valid() && events.range(candidate).end >= range.end) return candidate;
  }
  return {};
}

std::vector<EventWait> RankTrace::waitsOf(EventIndex event) const {
  std::vector<EventWait> found;
  for (const EventWait& wait : waits) {
    const auto& [sync, call, record, before, after] = wait;
    if (event == sync || event == call || event == record || event == before || event == after)
      found.push_back(wait);
  }
  return found;
}

std::vector<std::int32_t> ranksInList(std::string_view text) {
  std::vector<std::int32_t> ranks;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    std::int32_t value = 0;
    const auto read = std::from_chars(at, text.data() + text.size(), value);
    if (read.ec == std::errc()) ranks.push_back(value);
    at = read.ptr == at ? at + 1 : read.ptr;
  }
  return ranks;
}

} // namespace rankscope
