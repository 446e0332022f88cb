// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hang_places.h"

#include <algorithm>

namespace rankscope {

namespace {

constexpr TimeNs kClockSlack =
    1'000'000; // what runs cannot begin earlier than it was called, but for rounding

// Calls have the number of their group and sequence in both; of several runs of the program, the one after
// the call was made counts.
EventIndex callOf(const Analysis& analysis, RankIndex rank, const FlightRecord& record,
                  const FlightEntry& entry) {
  const StringTable& names = analysis.trace().names();
  const std::string_view group = record.stacks.text(entry.groupName);
  for (const CollectiveCall& call : analysis.collectiveCalls(rank)) {
    if (call.sequence != entry.sequence || !call.parties->groupName.valid()) continue;
    if (names[call.parties->groupName] != group) continue;
    if (call.range.begin.ns() + kClockSlack >= *entry.created) return call.event;
  }
  return {};
}

} // namespace

std::optional<HangPlace> hangPlace(const Analysis& analysis, const FlightRecord& record,
                                   const FlightEntry& entry) {
  if (!record.rank || !entry.created) return std::nullopt;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& known = analysis.trace().rank(rank);
    if (known.rank != *record.rank) continue;
    const TimeRange extent = known.trace->extent;
    if (*entry.created < extent.begin || *entry.created >= extent.end) continue;
    const JobTime at = analysis.clocks().of(rank).toJob(RankTime(*entry.created));
    return HangPlace{rank, callOf(analysis, rank, record, entry), {at, at + 1}};
  }
  return std::nullopt;
}

} // namespace rankscope
