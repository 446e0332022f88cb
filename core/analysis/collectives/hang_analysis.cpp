// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/hang_analysis.h"

#include "core/analysis/collectives/flight_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

namespace rankscope {

namespace {

// Calls of a job that runs, of which ranks are dumped one after another, are younger.
constexpr std::int64_t kStandsStill = 10'000'000'000;
// Archives and some file systems keep whole seconds.
constexpr std::int64_t kCoarsestTime = 1'000'000'000;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains(const std::vector<int>& ranks, int rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

// What a call is checked for.
struct CallShape {
  bool anySizes = false;   // each rank may send and receive what it likes
  bool anyInputs = false;  // only the root has inputs
  bool anyOutputs = false; // only the root has outputs
};

CallShape shapeOf(std::string_view operation) {
  CallShape shape;
  shape.anySizes = contains(operation, "all_to_all") || contains(operation, "alltoall") ||
                   contains(operation, "ALLTOALL") || contains(operation, "barrier");
  shape.anyInputs = contains(operation, "scatter") && !contains(operation, "reduce_scatter");
  shape.anyOutputs = contains(operation, "gather") && !contains(operation, "all_gather") &&
                     !contains(operation, "allgather");
  return shape;
}

// A text on what differs, by what members call at one sequence.
class MismatchCheck {
 public:
  MismatchCheck(HangGroup& group, std::span<const FlightRecord> records) : m_group(group) {
    for (const HangMember& member : group.members) {
      if (!member.dump) continue;
      const FlightRecord& record = records[*member.dump];
      const FlightEntry* const entry = callOf(record, member);
      if (entry != nullptr) m_calls.push_back({member.rank, &record, entry});
    }
  }

  void run() {
    if (m_calls.size() < 2) return;
    if (odd("", [](const Call& call) { return std::string(call.text(call.entry->operation)); })) return;
    const CallShape shape = shapeOf(m_calls.front().text(m_calls.front().entry->operation));
    if (!shape.anySizes && !shape.anyInputs &&
        odd("inputs ", [](const Call& call) { return std::string(call.text(call.entry->inputSizes)); }))
      return;
    if (!shape.anySizes && !shape.anyOutputs &&
        odd("outputs ", [](const Call& call) { return std::string(call.text(call.entry->outputSizes)); }))
      return;
    if (!shape.anyInputs && !shape.anyOutputs)
      static_cast<void>(
          odd("", [](const Call& call) { return std::string(call.text(call.entry->inputTypes)); }));
  }

 private:
  struct Call {
    int rank;
    const FlightRecord* record;
    const FlightEntry* entry;

    [[nodiscard]] std::string_view text(std::uint32_t id) const { return record->stacks.text(id); }
  };

  // The call of the first sequence that not all completed.
  const FlightEntry* callOf(const FlightRecord& record, const HangMember& member) const {
    if (member.entry && record.entries[*member.entry].sequence == m_group.firstUnfinished)
      return &record.entries[*member.entry];
    for (const FlightEntry& entry : record.entries) {
      const bool sameGroup = record.stacks.text(entry.groupName) == m_group.name && !entry.p2p;
      if (sameGroup && entry.sequence == m_group.firstUnfinished) return &entry;
    }
    return nullptr;
  }

  // Where values differ, the ranks that do not have the most frequent one; all if none is.
  template <class Value> bool odd(std::string_view what, Value&& value) {
    std::map<std::string, std::vector<int>> byValue;
    for (const Call& call : m_calls) byValue[value(call)].push_back(call.rank);
    byValue.erase(std::string()); // not recorded
    if (byValue.size() < 2) return false;
    const auto most = std::ranges::max_element(
        byValue, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const auto asMany = std::ranges::count_if(
        byValue, [&](const auto& one) { return one.second.size() == most->second.size(); });
    for (const auto& [text, ranks] : byValue) {
      if (!m_group.mismatch.empty()) m_group.mismatch += "; ";
      m_group.mismatch +=
          fmt::format("{}{} on rank{} {}", what, text, ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
      if (asMany > 1 || text != most->first)
        m_group.mismatched.insert(m_group.mismatched.end(), ranks.begin(), ranks.end());
    }
    std::ranges::sort(m_group.mismatched);
    return true;
  }

  HangGroup& m_group;
  std::vector<Call> m_calls;
};

// Whether the dump of a member tells all that it did: one that is cut lacks the latest.
bool isWhole(const HangMember& member, std::span<const FlightRecord> records) {
  return member.dump && member.counted && !records[*member.dump].partial;
}

void compareMembers(HangGroup& group, std::span<const FlightRecord> records) {
  for (const HangMember& member : group.members) {
    if (!isWhole(member, records)) group.withoutDump.push_back(member.rank);
  }
  if (group.pointToPoint) return;
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
  MismatchCheck(group, records).run();
}

class Verdicts {
 public:
  Verdicts(HangAnalysis& analysis, std::span<const FlightRecord> records)
      : m_analysis(analysis), m_records(records) {
    for (const FlightRecord& record : records) {
      if (record.partial) m_cut.insert(*record.rank);
    }
  }

  void run() {
    collectWaits();
    collectBlockedByNoDump();
    accuse();
    nameFirstMissedCalls();
    acquitIfRunning();
    for (HangGroup& group : m_analysis.groups) {
      for (HangMember& member : group.members) member.verdict = verdictOf(group, member);
    }
    sortCulprits();
  }

 private:
  void collectWaits() {
    for (std::size_t g = 0; g < m_analysis.groups.size(); ++g) {
      const HangGroup& group = m_analysis.groups[g];
      if (!group.waiting) continue;
      for (const HangMember& member : group.members) {
        if (!isWhole(member, m_records) || !member.unfinished()) continue;
        HangWait wait{member.rank, g, {}};
        for (const HangMember& other : group.members) {
          if (isWhole(other, m_records) && other.enqueued <= member.completed)
            wait.waitsFor.push_back(other.rank);
        }
        if (!wait.waitsFor.empty()) m_analysis.waits.push_back(std::move(wait));
      }
    }
    std::ranges::stable_sort(m_analysis.waits, {}, &HangWait::rank);
    for (const HangWait& wait : m_analysis.waits) m_waits.insert(wait.rank);
    for (const FlightRecord& record : m_records) {
      if (waitsInPointToPoint(record)) m_waits.insert(*record.rank);
    }
  }

  // Whether a send or receive is the first that a rank has not finished, so that its device waits for it, or
  // the last that it called, so that its host does.
  static bool waitsInPointToPoint(const FlightRecord& record) {
    const auto before = [&](std::size_t a, std::size_t b) {
      return std::pair(record.entries[a].recordId, a) < std::pair(record.entries[b].recordId, b);
    };
    std::map<std::int64_t, std::int64_t> completed;
    for (const FlightStatus& status : record.status) completed[status.groupId] = status.completed;
    std::optional<std::size_t> first;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < record.entries.size(); ++i) {
      const FlightEntry& entry = record.entries[i];
      const auto known = completed.find(entry.groupId);
      const bool isOpen = !isFinished(entry, entry.p2p || known == completed.end() ? -1 : known->second);
      if (isOpen && (!first || before(i, *first))) first = i;
      if (!last || before(*last, i)) last = i;
    }
    if (!first) return false;
    return record.entries[*first].p2p ||
           (record.entries[*last].p2p && !isFinished(record.entries[*last], -1));
  }

  // Ranks that may wait for one without a dump.
  void collectBlockedByNoDump() {
    for (const HangGroup& group : m_analysis.groups) {
      if (group.withoutDump.empty()) continue;
      for (const HangMember& member : group.members) {
        if (member.dump && (member.unfinished() || member.entry)) m_blocked.insert(member.rank);
      }
    }
  }

  void accuse() {
    std::set<int> behind;
    for (const HangGroup& group : m_analysis.groups) {
      if (group.withoutDump.empty()) behind.insert(group.behind.begin(), group.behind.end());
    }
    for (std::size_t g = 0; g < m_analysis.groups.size(); ++g) {
      const HangGroup& group = m_analysis.groups[g];
      if (!group.waiting) continue;
      for (const int rank : group.mismatched) add(rank, HangVerdict::Mismatch, g);
      if (!group.withoutDump.empty()) continue;
      for (const int rank : group.behind) add(rank, HangVerdict::DeviceStopped, g);
      for (const int rank : group.missing) {
        if (!m_waits.contains(rank) && !behind.contains(rank) && !m_blocked.contains(rank) &&
            isWaitedFor(rank, g))
          add(rank, HangVerdict::HostNeverCame, g);
      }
    }
  }

  // Hosts enqueue calls ahead: one that enqueued fewer than others has entered what they wait in all the
  // same.
  [[nodiscard]] bool isWaitedFor(int rank, std::size_t group) const {
    return std::ranges::any_of(m_analysis.waits, [&](const HangWait& wait) {
      return wait.group == group && contains(wait.waitsFor, rank);
    });
  }

  // A rank is named once, by the group in which it shows first.
  void add(int rank, HangVerdict verdict, std::size_t group) {
    const auto known = std::ranges::find_if(m_analysis.culprits, [&](const HangCulprit& culprit) {
      return culprit.rank == rank && culprit.verdict == verdict;
    });
    if (known == m_analysis.culprits.end())
      m_analysis.culprits.push_back({rank, verdict, group, {}, std::nullopt});
    else if (showsBefore(rank, group, known->group))
      known->group = group;
  }

  void nameFirstMissedCalls() {
    for (HangCulprit& culprit : m_analysis.culprits) {
      if (culprit.verdict != HangVerdict::HostNeverCame) continue;
      culprit.group = nextGroupOf(culprit.rank).value_or(culprit.group);
    }
  }

  // Where a peer recorded what it called after the last call of the rank, the first of these calls that the
  // rank did not enqueue is the one it never came to.
  [[nodiscard]] std::optional<std::size_t> nextGroupOf(int rank) const {
    const auto own = std::ranges::find(m_records, std::optional<int>(rank), &FlightRecord::rank);
    if (own == m_records.end() || own->entries.empty()) return std::nullopt;
    const auto last = std::ranges::max_element(own->entries, {}, &FlightEntry::recordId);
    const auto common = groupOf(*own, *last);
    if (last->p2p || !common) return std::nullopt;
    for (const HangMember& peer : m_analysis.groups[*common].members) {
      if (peer.rank == rank || !isWhole(peer, m_records)) continue;
      if (const auto found = groupAfter(m_records[*peer.dump], *common, last->sequence, rank)) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> groupAfter(const FlightRecord& peer, std::size_t common,
                                                      std::int64_t sequence, int rank) const {
    const FlightEntry* same = nullptr;
    for (const FlightEntry& entry : peer.entries)
      if (!entry.p2p && entry.sequence == sequence && groupOf(peer, entry) == common) same = &entry;
    const FlightEntry* next = nullptr;
    std::optional<std::size_t> found;
    for (const FlightEntry& entry : peer.entries) {
      if (same == nullptr || entry.p2p || entry.recordId <= same->recordId) continue;
      if (next != nullptr && entry.recordId >= next->recordId) continue;
      const auto group = groupOf(peer, entry);
      if (!group || !contains(m_analysis.groups[*group].missing, rank)) continue;
      next = &entry;
      found = group;
    }
    return found;
  }

  [[nodiscard]] std::optional<std::size_t> groupOf(const FlightRecord& record,
                                                   const FlightEntry& entry) const {
    const std::string_view name = record.stacks.text(entry.groupName);
    const std::string_view desc = record.stacks.text(entry.groupDesc);
    for (std::size_t g = 0; g < m_analysis.groups.size(); ++g) {
      const HangGroup& group = m_analysis.groups[g];
      if (group.name != name || group.desc != desc) continue;
      if (std::ranges::find(group.members, *record.rank, &HangMember::rank) != group.members.end()) return g;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool showsBefore(int rank, std::size_t a, std::size_t b) const {
    const std::int64_t inA = shownSince(rank, a);
    const std::int64_t inB = shownSince(rank, b);
    if (inA != inB) return inA < inB;
    return m_analysis.groups[a].members.size() > m_analysis.groups[b].members.size();
  }

  // Since when a group stands because of a rank: the first unfinished call of the rank itself, or, if it has
  // none, of those that wait for it.
  [[nodiscard]] std::int64_t shownSince(int rank, std::size_t group) const {
    const std::vector<HangMember>& members = m_analysis.groups[group].members;
    const auto own = std::ranges::find(members, rank, &HangMember::rank);
    if (own != members.end() && own->entry) return createdOf(*own).value_or(INT64_MAX);
    std::int64_t since = INT64_MAX;
    for (const HangWait& wait : m_analysis.waits) {
      if (wait.group != group || !contains(wait.waitsFor, rank)) continue;
      if (const auto created = createdOf(memberOf(wait))) since = std::min(since, *created);
    }
    return since;
  }

  [[nodiscard]] const HangMember& memberOf(const HangWait& wait) const {
    return *std::ranges::find(m_analysis.groups[wait.group].members, wait.rank, &HangMember::rank);
  }
  [[nodiscard]] std::optional<std::int64_t> createdOf(const HangMember& member) const {
    if (!member.entry) return std::nullopt;
    return m_records[*member.dump].entries[*member.entry].created;
  }

  // How long a member had waited when its dump was written, or when anything happened later in any dump.
  // Unknown: the file does not tell.
  [[nodiscard]] std::optional<std::int64_t> ageOf(const HangMember& member) const {
    const auto created = createdOf(member);
    if (!created) return std::nullopt;
    const auto written = m_records[*member.dump].written;
    if (!written || *written < *created - kCoarsestTime) return std::nullopt;
    return std::max({*written, *created, m_analysis.latest.value_or(*written)}) - *created;
  }

  // Of the unfinished calls of all ranks that stand; unknown if one is.
  [[nodiscard]] std::optional<std::int64_t> oldestAge() const {
    std::optional<std::int64_t> oldest;
    for (const HangGroup& group : m_analysis.groups) {
      if (!group.waiting) continue;
      for (const HangMember& member : group.members) {
        if (!isWhole(member, m_records) || !member.unfinished()) continue;
        const auto age = ageOf(member);
        if (!age) return std::nullopt;
        oldest = std::max(oldest.value_or(0), *age);
      }
    }
    return oldest;
  }

  // Calls that do not match are an error however young they are.
  void acquitIfRunning() {
    if (!m_analysis.culpritsWith(HangVerdict::Mismatch).empty()) return;
    const auto oldest = oldestAge();
    if (!oldest || *oldest >= kStandsStill) return;
    m_analysis.mayRun = oldest;
    m_analysis.suspects = std::move(m_analysis.culprits);
    m_analysis.culprits.clear();
  }

  HangVerdict verdictOf(const HangGroup& group, const HangMember& member) const {
    if (!member.dump) return m_cut.contains(member.rank) ? HangVerdict::Unknown : HangVerdict::NoDump;
    if (!isWhole(member, m_records)) return HangVerdict::Unknown;
    if (group.pointToPoint) return member.entry ? HangVerdict::Unknown : HangVerdict::Ok;
    if (!group.waiting) return HangVerdict::Ok;
    if (contains(group.mismatched, member.rank)) return HangVerdict::Mismatch;
    const auto accused = [&](HangVerdict verdict) {
      return group.withoutDump.empty() &&
             std::ranges::any_of(m_analysis.culprits, [&](const HangCulprit& culprit) {
               return culprit.rank == member.rank && culprit.verdict == verdict;
             });
    };
    if (contains(group.behind, member.rank) && accused(HangVerdict::DeviceStopped))
      return HangVerdict::DeviceStopped;
    if (contains(group.missing, member.rank) && accused(HangVerdict::HostNeverCame))
      return HangVerdict::HostNeverCame;
    if (member.unfinished() || m_waits.contains(member.rank)) return HangVerdict::Waits;
    return contains(group.missing, member.rank) ? HangVerdict::Unknown : HangVerdict::Ok;
  }

  void sortCulprits() {
    sortCulprits(m_analysis.culprits);
    sortCulprits(m_analysis.suspects);
  }

  void sortCulprits(std::vector<HangCulprit>& culprits) {
    for (HangCulprit& culprit : culprits) {
      std::set<int> waiting;
      for (const HangWait& wait : m_analysis.waits) {
        if (!contains(wait.waitsFor, culprit.rank)) continue;
        waiting.insert(wait.rank);
        takeSince(culprit, wait);
      }
      culprit.waiting.assign(waiting.begin(), waiting.end());
    }
    std::ranges::stable_sort(culprits, [](const HangCulprit& a, const HangCulprit& b) {
      return std::pair(a.since.value_or(INT64_MAX), a.rank) < std::pair(b.since.value_or(INT64_MAX), b.rank);
    });
  }

  void takeSince(HangCulprit& culprit, const HangWait& wait) const {
    const auto created = createdOf(memberOf(wait));
    if (created && (!culprit.since || *created < *culprit.since)) culprit.since = created;
  }

  HangAnalysis& m_analysis;
  std::span<const FlightRecord> m_records;
  std::set<int> m_cut; // ranks whose dump is cut, so that it may lack groups
  std::set<int> m_waits;
  std::set<int> m_blocked;
};

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

std::vector<int> HangAnalysis::culpritsWith(HangVerdict verdict) const {
  std::vector<int> ranks;
  for (const HangCulprit& culprit : culprits) {
    if (culprit.verdict == verdict) ranks.push_back(culprit.rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

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
  Verdicts(analysis, records).run();
  analysis.stands = standsOf(analysis.groups, records);
  if (!analysis.culprits.empty())
    analysis.state = HangState::Culprit;
  else if (waiting)
    analysis.state = HangState::CannotSay;
  return analysis;
}

} // namespace rankscope
