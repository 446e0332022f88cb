// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/later_trace.h"

#include "core/model/rank_digest.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace rankscope::ui {

namespace {

// Whether two are of one file: a recording moved to another clock shares its other columns.
bool sameRecording(const RankEntry& a, const RankEntry& b) {
  return a.trace == b.trace || (a.trace->events.size() > 0 &&
                                a.trace->events.source.span().data() == b.trace->events.source.span().data());
}

// Whether the rank was a digest and has its events now.
bool wasRead(const TraceSet& older, RankIndex rank, const TraceSet& later) {
  return isDigest(later) && rank.value < later.ranks().size() && digestOf(older, rank) != nullptr &&
         digestOf(later, rank) == nullptr && older.rank(rank).rank == later.rank(rank).rank &&
         older.rank(rank).capture == later.rank(rank).capture;
}

// The event that was read begins on the clock of the job too, or not yet.
EventIndex sameEvent(const TraceSet& older, EventRef event, const TraceSet& later) {
  constexpr TimeNs kRounding = 2;
  const RankTrace& from = *older.rank(event.rank).trace;
  const RankTrace& to = *later.rank(event.rank).trace;
  const TimeRange range = from.events.range(event.event);
  const TimeNs recorded = digestOf(older, event.rank)->drawn.fromJob(JobTime(range.begin)).ns();
  const auto isSame = [&](EventIndex other, TimeNs begin) {
    return std::abs(to.events.begin[other] - begin) <= kRounding &&
           std::abs(to.events.duration[other] - range.length()) <= kRounding &&
           to.events.kind[other] == from.events.kind[event.event] &&
           later.names()[to.events.name[other]] == older.names()[from.events.name[event.event]];
  };
  for (const TimeNs begin : {range.begin, recorded}) {
    for (std::size_t row = 0; row < to.rows.size(); ++row) {
      const EventIndex found = to.lastBeginningBy(RowIndex(row), begin + kRounding);
      if (found.valid() && isSame(found, begin)) return found;
    }
  }
  return {};
}

} // namespace

bool sharesARecording(const TraceSet& a, const TraceSet& b) {
  return std::ranges::any_of(a.ranks(), [&](const RankEntry& rank) {
    return std::ranges::any_of(b.ranks(), [&](const RankEntry& other) { return sameRecording(other, rank); });
  });
}

RankIndex rankInLater(const TraceSet& older, RankIndex rank, const TraceSet& later) {
  if (!rank.valid()) return {};
  const auto& ranks = later.ranks();
  const auto same = std::ranges::find_if(
      ranks, [&](const RankEntry& entry) { return sameRecording(entry, older.rank(rank)); });
  if (same != ranks.end()) return RankIndex(static_cast<std::size_t>(same - ranks.begin()));
  return wasRead(older, rank, later) ? rank : RankIndex();
}

EventRef eventInLater(const TraceSet& older, EventRef event, const TraceSet& later) {
  if (!event.valid()) return {};
  const RankIndex rank = rankInLater(older, event.rank, later);
  if (!rank.valid()) return {};
  if (!wasRead(older, event.rank, later)) return {rank, event.event};
  const EventIndex same = sameEvent(older, event, later);
  return same.valid() ? EventRef{rank, same} : EventRef();
}

} // namespace rankscope::ui
