// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/hang_verdicts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// Calls of a job that runs, of which ranks are dumped one after another, are younger.
constexpr std::int64_t kStandsStill = 10'000'000'000;
// Archives and some file systems keep whole seconds.
constexpr std::int64_t kCoarsestTime = 1'000'000'000;

bool contains(const std::vector<int>& ranks, int rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

class Judge {
 public:
  Judge(std::vector<HangGroup>& groups, std::span<const FlightRecord> records,
        std::optional<std::int64_t> latest)
      : m_groups(groups), m_records(records), m_latest(latest) {
    for (const FlightRecord& record : records) {
      if (record.partial) m_cut.insert(*record.rank);
    }
  }

  [[nodiscard]] HangVerdicts run() {
    collectWaits();
    collectBlockedByNoDump();
    accuse();
    nameFirstMissedCalls();
    acquitIfRunning();
    for (HangGroup& group : m_groups) {
      for (HangMember& member : group.members) member.verdict = verdictOf(group, member);
    }
    sortCulprits(m_result.culprits);
    sortCulprits(m_result.suspects);
    return std::move(m_result);
  }

 private:
  void collectWaits() {
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
      const HangGroup& group = m_groups[g];
      if (!group.waiting) continue;
      for (const HangMember& member : group.members) {
        if (!isWhole(member, m_records) || !member.unfinished()) continue;
        HangWait wait{member.rank, g, {}};
        for (const HangMember& other : group.members) {
          if (isWhole(other, m_records) && other.enqueued <= member.completed)
            wait.waitsFor.push_back(other.rank);
        }
        if (!wait.waitsFor.empty()) m_result.waits.push_back(std::move(wait));
      }
    }
    std::ranges::stable_sort(m_result.waits, {}, &HangWait::rank);
    for (const HangWait& wait : m_result.waits) m_waits.insert(wait.rank);
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
    for (const HangGroup& group : m_groups) {
      if (group.withoutDump.empty()) continue;
      for (const HangMember& member : group.members) {
        if (member.dump && (member.unfinished() || member.entry)) m_blocked.insert(member.rank);
      }
    }
  }

  void accuse() {
    std::set<int> behind;
    for (const HangGroup& group : m_groups) {
      if (group.withoutDump.empty()) behind.insert(group.behind.begin(), group.behind.end());
    }
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
      const HangGroup& group = m_groups[g];
      for (const int rank : group.mismatched) add(rank, HangVerdict::Mismatch, g);
      if (!group.waiting) continue;
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
    return std::ranges::any_of(m_result.waits, [&](const HangWait& wait) {
      return wait.group == group && contains(wait.waitsFor, rank);
    });
  }

  // A rank is named once, by the group in which it shows first.
  void add(int rank, HangVerdict verdict, std::size_t group) {
    const auto known = std::ranges::find_if(m_result.culprits, [&](const HangCulprit& culprit) {
      return culprit.rank == rank && culprit.verdict == verdict;
    });
    if (known == m_result.culprits.end())
      m_result.culprits.push_back({rank, verdict, group, {}, std::nullopt});
    else if (showsBefore(rank, group, known->group))
      known->group = group;
  }

  void nameFirstMissedCalls() {
    for (HangCulprit& culprit : m_result.culprits) {
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
    for (const HangMember& peer : m_groups[*common].members) {
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
      if (!group || !contains(m_groups[*group].missing, rank)) continue;
      next = &entry;
      found = group;
    }
    return found;
  }

  [[nodiscard]] std::optional<std::size_t> groupOf(const FlightRecord& record,
                                                   const FlightEntry& entry) const {
    const std::string_view name = record.stacks.text(entry.groupName);
    const std::string_view desc = record.stacks.text(entry.groupDesc);
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
      const HangGroup& group = m_groups[g];
      if (group.name != name || group.desc != desc) continue;
      if (std::ranges::find(group.members, *record.rank, &HangMember::rank) != group.members.end()) return g;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool showsBefore(int rank, std::size_t a, std::size_t b) const {
    const std::int64_t inA = shownSince(rank, a);
    const std::int64_t inB = shownSince(rank, b);
    if (inA != inB) return inA < inB;
    return m_groups[a].members.size() > m_groups[b].members.size();
  }

  // Since when a group stands because of a rank: the first unfinished call of the rank itself, or, if it has
  // none, of those that wait for it.
  [[nodiscard]] std::int64_t shownSince(int rank, std::size_t group) const {
    const std::vector<HangMember>& members = m_groups[group].members;
    const auto own = std::ranges::find(members, rank, &HangMember::rank);
    if (own != members.end() && own->entry) return createdOf(*own).value_or(INT64_MAX);
    std::int64_t since = INT64_MAX;
    for (const HangWait& wait : m_result.waits) {
      if (wait.group != group || !contains(wait.waitsFor, rank)) continue;
      if (const auto created = createdOf(memberOf(wait))) since = std::min(since, *created);
    }
    return since;
  }

  [[nodiscard]] const HangMember& memberOf(const HangWait& wait) const {
    return *std::ranges::find(m_groups[wait.group].members, wait.rank, &HangMember::rank);
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
    return std::max({*written, *created, m_latest.value_or(*written)}) - *created;
  }

  // Whether a member of a group stands in a call.
  [[nodiscard]] bool stands(const HangGroup& group, const HangMember& member) const {
    if (group.pointToPoint) return member.entry && contains(group.mismatched, member.rank);
    return group.waiting && isWhole(member, m_records) && member.unfinished();
  }

  // Of the unfinished calls of all ranks that stand; unknown if one is.
  [[nodiscard]] std::optional<std::int64_t> oldestAge() const {
    std::optional<std::int64_t> oldest;
    for (const HangGroup& group : m_groups) {
      for (const HangMember& member : group.members) {
        if (!stands(group, member)) continue;
        const auto age = ageOf(member);
        if (!age) return std::nullopt;
        oldest = std::max(oldest.value_or(0), *age);
      }
    }
    return oldest;
  }

  // Collectives that do not match are an error however young they are. Of sends and receives it may only seem
  // so, as dumps are not taken at one instant.
  void acquitIfRunning() {
    const bool isError = std::ranges::any_of(
        m_groups, [](const HangGroup& group) { return !group.pointToPoint && !group.mismatched.empty(); });
    if (isError) return;
    const auto oldest = oldestAge();
    if (!oldest || *oldest >= kStandsStill) return;
    m_result.mayRun = oldest;
    m_result.suspects = std::move(m_result.culprits);
    m_result.culprits.clear();
  }

  HangVerdict verdictOf(const HangGroup& group, const HangMember& member) const {
    if (!member.dump) return m_cut.contains(member.rank) ? HangVerdict::Unknown : HangVerdict::NoDump;
    if (!isWhole(member, m_records)) return HangVerdict::Unknown;
    if (contains(group.mismatched, member.rank) && (!group.pointToPoint || !m_result.mayRun))
      return HangVerdict::Mismatch;
    if (group.pointToPoint) return member.entry ? HangVerdict::Unknown : HangVerdict::Ok;
    if (!group.waiting) return HangVerdict::Ok;
    const auto accused = [&](HangVerdict verdict) {
      return group.withoutDump.empty() &&
             std::ranges::any_of(m_result.culprits, [&](const HangCulprit& culprit) {
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

  void sortCulprits(std::vector<HangCulprit>& culprits) {
    for (HangCulprit& culprit : culprits) {
      std::set<int> waiting;
      for (const HangWait& wait : m_result.waits) {
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

  std::vector<HangGroup>& m_groups;
  std::span<const FlightRecord> m_records;
  std::optional<std::int64_t> m_latest;
  HangVerdicts m_result;
  std::set<int> m_cut; // ranks whose dump is cut, so that it may lack groups
  std::set<int> m_waits;
  std::set<int> m_blocked;
};

} // namespace

std::vector<int> HangVerdicts::culpritsWith(HangVerdict verdict) const {
  std::vector<int> ranks;
  for (const HangCulprit& culprit : culprits) {
    if (culprit.verdict == verdict) ranks.push_back(culprit.rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

HangVerdicts hangVerdicts(std::vector<HangGroup>& groups, std::span<const FlightRecord> records,
                          std::optional<std::int64_t> latest) {
  return Judge(groups, records, latest).run();
}

} // namespace rankscope
