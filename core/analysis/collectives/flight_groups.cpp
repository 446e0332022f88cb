// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/flight_groups.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace rankscope {

namespace {

// Listed members, or (inferred) the group's name, tell groups apart.
struct GroupKey {
  std::string desc;
  std::vector<int> ranks; // empty: inferred
  std::string name;       // only if inferred
  auto operator<=>(const GroupKey&) const = default;
};

std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The groups of one rank: by number within the process.
class RankGroups {
 public:
  explicit RankGroups(const FlightRecord& record) : m_record(record) {
    for (const FlightEntry& entry : record.entries) m_keys.try_emplace(entry.groupId, keyOf(entry));
    pairTheRest();
  }

  [[nodiscard]] const std::map<std::int64_t, GroupKey>& keys() const { return m_keys; }
  // Whether some counts are of a group that the dump does not name.
  [[nodiscard]] bool countsWithoutGroup() const {
    return std::ranges::any_of(m_record.status, [&](const FlightStatus& status) {
      return status.enqueued > 0 && !m_keys.contains(status.groupId);
    });
  }
  [[nodiscard]] std::string nameOf(std::int64_t id) const {
    const auto found = m_names.find(id);
    return found == m_names.end() ? std::string() : found->second;
  }

 private:
  GroupKey keyOf(const FlightEntry& entry) {
    const StackPool& texts = m_record.stacks;
    const std::string_view name = texts.text(entry.groupName);
    m_names.try_emplace(entry.groupId, name);
    for (const FlightGroup& group : m_record.groups) {
      if (group.name == name && contains(group)) return {group.desc, group.ranks, {}};
    }
    std::string desc(texts.text(entry.groupDesc));
    if (name.empty() && desc.empty()) desc = fmt::format("group {}", entry.groupId);
    return {std::move(desc), {}, std::string(name)};
  }

  [[nodiscard]] bool contains(const FlightGroup& group) const {
    return std::ranges::binary_search(group.ranks, *m_record.rank);
  }

  // Groups without an entry: the two lists are in the order in which groups were created.
  void pairTheRest() {
    if (m_record.status.size() != m_record.groups.size()) return;
    std::vector<std::int64_t> ids;
    ids.reserve(m_record.status.size());
    for (const FlightStatus& status : m_record.status) ids.push_back(status.groupId);
    std::ranges::sort(ids);
    std::vector<std::pair<std::int64_t, const FlightGroup*>> groups;
    groups.reserve(m_record.groups.size());
    for (const FlightGroup& group : m_record.groups) {
      const auto number = numberOf(group.name);
      if (!number) return;
      groups.emplace_back(*number, &group);
    }
    std::ranges::sort(groups);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const FlightGroup& group = *groups[i].second;
      if (m_keys.contains(ids[i]) || !contains(group)) continue;
      m_keys.emplace(ids[i], GroupKey{group.desc, group.ranks, {}});
      m_names.emplace(ids[i], group.name);
    }
  }

  const FlightRecord& m_record;
  std::map<std::int64_t, GroupKey> m_keys;
  std::map<std::int64_t, std::string> m_names;
};

// The size of a group from the shapes of a call; empty if they do not say.
std::optional<std::int64_t> sizeFrom(const FlightEntry& entry, std::string_view operation) {
  const std::int64_t in = entry.inputElements;
  const std::int64_t out = entry.outputElements;
  if (in <= 0 || out <= 0) return std::nullopt;
  const bool gathers = operation.find("all_gather") != std::string_view::npos ||
                       operation.find("allgather") != std::string_view::npos;
  const bool scatters = operation.find("reduce_scatter") != std::string_view::npos;
  if (gathers && out % in == 0) return out / in;
  if (scatters && in % out == 0) return in / out;
  return std::nullopt;
}

void takeEntry(const FlightRecord& record, std::size_t index, HangGroup& group, HangMember& member,
               bool statusKnown) {
  const FlightEntry& entry = record.entries[index];
  if (entry.p2p) {
    group.pointToPoint = true;
  } else if (!statusKnown) {
    member.enqueued = std::max(member.enqueued, entry.sequence);
  }
  if (!group.size && !entry.p2p) group.size = sizeFrom(entry, record.stacks.text(entry.operation));
}

// Without a status, what precedes the first unfinished call is complete.
void completeFromEntries(const FlightRecord& record, const std::vector<std::size_t>& entries,
                         HangMember& member) {
  std::int64_t first = INT64_MAX;
  for (const std::size_t index : entries) {
    const FlightEntry& entry = record.entries[index];
    if (entry.p2p || entry.state == FlightState::Completed || entry.retired) continue;
    first = std::min(first, entry.sequence);
  }
  member.completed = first == INT64_MAX ? member.enqueued : std::max<std::int64_t>(first, 1) - 1;
}

void findFirstUnfinished(const FlightRecord& record, const std::vector<std::size_t>& entries,
                         HangMember& member, bool pointToPoint) {
  for (const std::size_t index : entries) {
    const FlightEntry& entry = record.entries[index];
    if (isFinished(entry, entry.p2p || pointToPoint ? -1 : member.completed)) continue;
    const bool earlier = !member.entry || std::tie(entry.sequence, entry.recordId) <
                                              std::tie(record.entries[*member.entry].sequence,
                                                       record.entries[*member.entry].recordId);
    if (earlier) member.entry = index;
  }
  if (member.entry) {
    member.firstUnfinished = callNumber(record.entries[*member.entry]);
  } else if (!pointToPoint && member.unfinished()) {
    member.firstUnfinished = member.completed + 1;
  }
}

HangMember& memberOf(HangGroup& group, int rank) {
  const auto at = std::ranges::lower_bound(group.members, rank, {}, &HangMember::rank);
  if (at != group.members.end() && at->rank == rank) return *at;
  HangMember added;
  added.rank = rank;
  return *group.members.insert(at, added);
}

void addRank(const FlightRecord& record, std::size_t dump, std::map<GroupKey, HangGroup>& groups) {
  const RankGroups own(record);
  std::map<std::int64_t, std::vector<std::size_t>> entries;
  for (std::size_t i = 0; i < record.entries.size(); ++i) entries[record.entries[i].groupId].push_back(i);
  for (const auto& [id, key] : own.keys()) {
    HangGroup& group = groups[key];
    if (group.members.empty()) {
      group.desc = key.desc;
      group.name = own.nameOf(id);
      group.inferred = key.ranks.empty();
      for (const int rank : key.ranks) {
        HangMember& member = group.members.emplace_back();
        member.rank = rank;
      }
      if (!group.inferred) group.size = static_cast<std::int64_t>(key.ranks.size());
    }
    HangMember& member = memberOf(group, *record.rank);
    member.dump = dump;
    const auto status = std::ranges::find(record.status, id, &FlightStatus::groupId);
    const bool known = status != record.status.end();
    if (known) {
      member.enqueued = status->enqueued;
      member.started = status->started;
      member.completed = status->completed;
    }
    for (const std::size_t index : entries[id]) takeEntry(record, index, group, member, known);
    if (!known) completeFromEntries(record, entries[id], member);
  }
}

// Members of the default group are numbered from 0, so that its size, or the highest of them, says who left
// no dump.
void addUnseenMembers(HangGroup& group) {
  constexpr std::int64_t kMostRanks = 1'000'000;
  if (!group.inferred || group.desc != "default_pg" || group.members.empty()) return;
  const std::int64_t size = group.size.value_or(std::int64_t{group.members.back().rank} + 1);
  const auto seen = static_cast<std::int64_t>(group.members.size());
  if (size > kMostRanks || size <= seen || group.members.back().rank >= size) return;
  for (int rank = 0; rank < size; ++rank) static_cast<void>(memberOf(group, rank));
}

// Of groups that others called and the rank never did, its dump has no count and no entry. It is the same
// where the counts that it has are of groups that it does not name.
void addUncalledGroups(const FlightRecord& record, std::size_t dump, std::map<GroupKey, HangGroup>& groups) {
  if (record.partial) return;
  const bool unclear = RankGroups(record).countsWithoutGroup();
  for (const FlightGroup& listed : record.groups) {
    if (!std::ranges::binary_search(listed.ranks, *record.rank)) continue;
    const auto found = groups.find(GroupKey{listed.desc, listed.ranks, {}});
    if (found == groups.end()) continue;
    HangMember& member = memberOf(found->second, *record.rank);
    if (member.dump) continue;
    member.dump = dump;
    member.counted = !unclear;
    if (!unclear) member.enqueued = member.completed = 0;
  }
}

} // namespace

std::string_view hangVerdictText(HangVerdict verdict) {
  static constexpr std::array<std::string_view, 7> kTexts{
      "ok", "waits", "host_never_came", "device_stopped", "mismatch", "no_dump", "unknown"};
  return kTexts[static_cast<std::size_t>(verdict)];
}

std::vector<int> HangGroup::ranks() const {
  std::vector<int> all;
  all.reserve(members.size());
  for (const HangMember& member : members) all.push_back(member.rank);
  return all;
}

std::int64_t callNumber(const FlightEntry& entry) {
  // The first versions have one sequence for both.
  return entry.p2p && entry.p2pSequence > 0 ? entry.p2pSequence : entry.sequence;
}

bool isFinished(const FlightEntry& entry, std::int64_t completed) {
  if (entry.state == FlightState::Completed) return true;
  if (completed >= 0) return entry.sequence <= completed;
  return entry.retired;
}

bool isWhole(const HangMember& member, std::span<const FlightRecord> records) {
  return member.dump && member.counted && !records[*member.dump].partial;
}

std::vector<HangGroup> flightGroups(std::span<const FlightRecord> records) {
  std::map<GroupKey, HangGroup> byKey;
  for (std::size_t i = 0; i < records.size(); ++i) addRank(records[i], i, byKey);
  for (std::size_t i = 0; i < records.size(); ++i) addUncalledGroups(records[i], i, byKey);
  // By rank and number within the process, to find the entries of each member again.
  std::vector<HangGroup> groups;
  std::map<GroupKey, std::size_t> places;
  for (auto& [key, group] : byKey) {
    addUnseenMembers(group);
    places.emplace(key, groups.size());
    groups.push_back(std::move(group));
  }
  for (const FlightRecord& record : records) {
    const RankGroups own(record);
    std::map<std::int64_t, std::vector<std::size_t>> entries;
    for (std::size_t i = 0; i < record.entries.size(); ++i) entries[record.entries[i].groupId].push_back(i);
    for (const auto& [id, key] : own.keys()) {
      HangGroup& group = groups[places.at(key)];
      findFirstUnfinished(record, entries[id], memberOf(group, *record.rank), group.pointToPoint);
    }
  }
  return groups;
}

} // namespace rankscope
