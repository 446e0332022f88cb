// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/hang_analysis.h"

#include "core/analysis/collectives/call_mismatch.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace rankscope {

namespace {

void compareMembers(HangGroup& group, std::span<const FlightRecord> records) {
  for (const HangMember& member : group.members) {
    if (!isWhole(member, records)) group.withoutDump.push_back(member.rank);
  }
  if (group.pointToPoint) {
    compareTransfers(group, records);
    return;
  }
  std::int64_t mostCompleted = -1;
  std::int64_t leastCompleted = INT64_MAX;
  bool unfinished = false;
  for (const HangMember& member : group.members) {
    if (!isWhole(member, records)) continue;
    group.front = std::max(group.front, member.enqueued);
    mostCompleted = std::max(mostCompleted, member.completed);
    leastCompleted = std::min(leastCompleted, member.completed);
    unfinished = unfinished || member.unfinished();
  }
  // Where everyone has completed what it enqueued, no rank waits: the counts may be of send and receive.
  group.waiting = unfinished && group.front > leastCompleted;
  if (!group.waiting) return;
  group.firstUnfinished = std::max<std::int64_t>(leastCompleted, 0) + 1; // from 1
  for (const HangMember& member : group.members) {
    if (!isWhole(member, records)) continue;
    if (member.enqueued < group.front) group.missing.push_back(member.rank);
    if (member.unfinished() && member.completed < mostCompleted) group.behind.push_back(member.rank);
  }
  compareCalls(group, records);
}

std::vector<HangStand> standsOf(const std::vector<HangGroup>& groups, std::span<const FlightRecord> records) {
  struct Place {
    std::optional<std::size_t> entry;
    bool unfinished = false;
  };
  std::vector<Place> places(records.size());
  // The first versions recorded no ids: their entries are in the order of time.
  const auto earlier = [](const FlightRecord& record, std::size_t a, std::size_t b) {
    return std::pair(record.entries[a].recordId, a) < std::pair(record.entries[b].recordId, b);
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t e = 0; e < records[i].entries.size(); ++e) {
      if (!places[i].entry || earlier(records[i], *places[i].entry, e)) places[i].entry = e;
    }
  }
  for (const HangGroup& group : groups) {
    for (const HangMember& member : group.members) {
      if (!member.dump || !member.entry) continue;
      Place& place = places[*member.dump];
      if (!place.unfinished || earlier(records[*member.dump], *member.entry, *place.entry))
        place = {member.entry, true};
    }
  }
  std::map<std::pair<bool, std::string>, HangStand> byStack;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string text;
    if (places[i].entry) {
      const FlightEntry& entry = records[i].entries[*places[i].entry];
      text = records[i].stacks.text(entry.operation);
      for (const std::uint32_t frame : records[i].stacks.stack(entry.stack)) {
        text += '\n';
        text += records[i].stacks.frameText(frame);
      }
    }
    HangStand& stand = byStack[{places[i].unfinished, text}];
    if (stand.ranks.empty()) {
      stand.record = i;
      stand.entry = places[i].entry;
      stand.unfinished = places[i].unfinished;
    }
    stand.ranks.push_back(*records[i].rank);
  }
  std::vector<HangStand> stands;
  for (auto& [key, stand] : byStack) {
    std::ranges::sort(stand.ranks);
    stands.push_back(std::move(stand));
  }
  std::ranges::stable_sort(stands, [](const HangStand& a, const HangStand& b) {
    return std::pair(a.ranks.size(), a.ranks.front()) < std::pair(b.ranks.size(), b.ranks.front());
  });
  return stands;
}

std::optional<std::int64_t> latestTime(std::span<const FlightRecord> records) {
  std::optional<std::int64_t> latest;
  for (const FlightRecord& record : records) {
    for (const FlightEntry& entry : record.entries) {
      for (const auto& time : {entry.created, entry.started, entry.completed}) {
        if (time && (!latest || *time > *latest)) latest = time;
      }
    }
  }
  return latest;
}

} // namespace

HangAnalysis analyzeHang(std::span<const FlightRecord> records) {
  HangAnalysis analysis;
  analysis.groups = flightGroups(records);
  std::set<int> withoutDump;
  bool waiting = false;
  for (HangGroup& group : analysis.groups) {
    compareMembers(group, records);
    withoutDump.insert(group.withoutDump.begin(), group.withoutDump.end());
    waiting = waiting || group.waiting;
    // Of send and receive, whatever is not finished may be what others wait for.
    waiting = waiting || (group.pointToPoint && std::ranges::any_of(group.members, [](const HangMember& of) {
                            return of.entry.has_value();
                          }));
  }
  // What a dump that is cut does not tell may be that its rank waits.
  for (const FlightRecord& record : records) {
    if (!record.partial) continue;
    withoutDump.insert(*record.rank);
    waiting = true;
  }
  analysis.withoutDump.assign(withoutDump.begin(), withoutDump.end());
  analysis.latest = latestTime(records);
  static_cast<HangVerdicts&>(analysis) = hangVerdicts(analysis.groups, records, analysis.latest);
  analysis.stands = standsOf(analysis.groups, records);
  if (!analysis.culprits.empty())
    analysis.state = HangState::Culprit;
  else if (waiting)
    analysis.state = HangState::CannotSay;
  return analysis;
}

} // namespace rankscope
