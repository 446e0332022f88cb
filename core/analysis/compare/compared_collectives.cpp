// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/compared_collectives.h"

#include "core/analysis/collectives/sequence_align.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Longer sequences are not aligned.
constexpr std::size_t kMaxSequence = 20'000;

using CollectiveKey = std::pair<std::string, std::int64_t>; // operation, bytes

// The rows of one group.
struct SideGroup {
  std::string name;
  std::string ranks;
  std::vector<const SideCollective*> rows;
  bool paired = false;

  [[nodiscard]] std::set<std::string> operations() const {
    std::set<std::string> found;
    for (const SideCollective* row : rows) found.insert(row->operation);
    return found;
  }
  [[nodiscard]] bool isOrdered() const {
    return std::ranges::none_of(rows, [](const SideCollective* row) { return row->inStep.empty(); });
  }
};

// In the order of their names, numbers by their size.
std::vector<SideGroup> groupsOf(const std::vector<SideCollective>& rows) {
  std::map<std::pair<std::size_t, std::string>, SideGroup> groups;
  for (const SideCollective& row : rows) {
    SideGroup& group = groups[{row.group.size(), row.group}];
    group.name = row.group;
    group.ranks = row.ranks;
    group.rows.push_back(&row);
  }
  std::vector<SideGroup> result;
  result.reserve(groups.size());
  for (auto& [name, group] : groups) result.push_back(std::move(group));
  return result;
}

// A call of a step, or all of a row.
struct SequenceCall {
  const SideCollective* row = nullptr;
  const CollectiveInStep* call = nullptr;
  double place = 0;
};

std::vector<SequenceCall> sequenceOf(const SideGroup& group) {
  std::vector<SequenceCall> calls;
  for (const SideCollective* row : group.rows) {
    for (const CollectiveInStep& call : row->inStep)
      if (call.calls > 0) calls.push_back({row, &call, call.place / call.calls});
  }
  std::ranges::stable_sort(calls, {}, &SequenceCall::place);
  return calls;
}

class CollectiveMatcher {
 public:
  CollectiveMatcher(const std::vector<SideCollective>& a, const std::vector<SideCollective>& b)
      : m_a(groupsOf(a)), m_b(groupsOf(b)) {}

  std::vector<ComparedCollective> take() {
    pairGroups(RowMatch::Exact, [](const SideGroup& a, const SideGroup& b) { return a.name == b.name; });
    pairGroups(RowMatch::GroupRanks, [](const SideGroup& a, const SideGroup& b) {
      return !a.ranks.empty() && a.ranks == b.ranks && a.operations() == b.operations();
    });
    pairGroups(RowMatch::Order,
               [](const SideGroup& a, const SideGroup& b) { return a.operations() == b.operations(); });
    for (const SideGroup& group : m_a) {
      if (!group.paired) addRows(group, false);
    }
    for (const SideGroup& group : m_b) {
      if (!group.paired) addRows(group, true);
    }
    return std::move(m_rows);
  }

 private:
  template <class Fits> void pairGroups(RowMatch by, Fits&& fits) {
    for (SideGroup& a : m_a) {
      if (a.paired) continue;
      for (SideGroup& b : m_b) {
        if (b.paired || !fits(a, b)) continue;
        a.paired = b.paired = true;
        matchCalls(by, a, b);
        break;
      }
    }
  }

  void addRows(const SideGroup& group, bool ofB) {
    for (const SideCollective* row : group.rows) {
      ComparedCollective& one = m_rows.emplace_back();
      one.match = ofB ? RowMatch::OnlyB : RowMatch::OnlyA;
      (ofB ? one.b : one.a) = *row;
    }
  }

  void matchCalls(RowMatch by, const SideGroup& a, const SideGroup& b) {
    m_known.clear();
    if (!a.isOrdered() || !b.isOrdered()) return matchWhole(by, a, b);
    const std::vector<SequenceCall> ofA = sequenceOf(a);
    const std::vector<SequenceCall> ofB = sequenceOf(b);
    if (std::max(ofA.size(), ofB.size()) > kMaxSequence) return matchWhole(by, a, b);
    std::map<CollectiveKey, std::uint64_t> numbers;
    const auto keysOf = [&](const std::vector<SequenceCall>& calls) {
      std::vector<std::uint64_t> keys;
      keys.reserve(calls.size());
      for (const SequenceCall& call : calls)
        keys.push_back(
            numbers.try_emplace({call.row->operation, call.row->bytes}, numbers.size()).first->second);
      return keys;
    };
    const std::vector<std::uint64_t> keysA = keysOf(ofA);
    const std::vector<std::uint64_t> keysB = keysOf(ofB);
    std::vector<bool> freeA(ofA.size(), true);
    std::vector<bool> freeB(ofB.size(), true);
    for (const auto& [i, j] : alignSequences(keysA, keysB)) {
      freeA[i] = freeB[j] = false;
      addCallTo(by, ofA[i], false);
      addCallTo(by, ofB[j], true);
    }
    for (std::size_t i = 0; i < ofA.size(); ++i) {
      if (freeA[i]) addCallTo(RowMatch::OnlyA, ofA[i], false);
    }
    for (std::size_t j = 0; j < ofB.size(); ++j) {
      if (freeB[j]) addCallTo(RowMatch::OnlyB, ofB[j], true);
    }
  }

  void addCallTo(RowMatch match, const SequenceCall& call, bool ofB) {
    const auto [at, isNew] =
        m_known.try_emplace({match, call.row->operation, call.row->bytes}, m_rows.size());
    if (isNew) m_rows.emplace_back().match = match;
    std::optional<SideCollective>& side = ofB ? m_rows[at->second].b : m_rows[at->second].a;
    if (!side) {
      side = *call.row;
      static_cast<CollectiveTimes&>(*side) = {};
      side->inStep.clear();
    }
    side->add(*call.call, 1);
  }

  void matchWhole(RowMatch by, const SideGroup& a, const SideGroup& b) {
    std::map<CollectiveKey, const SideCollective*> free;
    for (const SideCollective* row : b.rows) free[{row->operation, row->bytes}] = row;
    for (const SideCollective* row : a.rows) {
      ComparedCollective& one = m_rows.emplace_back();
      one.match = RowMatch::OnlyA;
      one.a = *row;
      const auto partner = free.find({row->operation, row->bytes});
      if (partner == free.end()) continue;
      one.match = by;
      one.b = *partner->second;
      free.erase(partner);
    }
    for (const auto& [key, row] : free) {
      ComparedCollective& one = m_rows.emplace_back();
      one.match = RowMatch::OnlyB;
      one.b = *row;
    }
  }

  std::vector<SideGroup> m_a;
  std::vector<SideGroup> m_b;
  std::vector<ComparedCollective> m_rows;
  // Rows of the pair of groups, by what matched them, operation and bytes.
  std::map<std::tuple<RowMatch, std::string, std::int64_t>, std::size_t> m_known;
};

} // namespace

std::vector<ComparedCollective> comparedCollectives(const std::vector<SideCollective>& a,
                                                    const std::vector<SideCollective>& b) {
  std::vector<ComparedCollective> rows = CollectiveMatcher(a, b).take();
  std::ranges::stable_sort(rows, std::greater<>(), [](const ComparedCollective& row) {
    return std::tuple(std::abs(row.delta(&SideCollective::exposed)),
                      std::abs(row.delta(&SideCollective::wait) + row.delta(&SideCollective::transfer)));
  });
  return rows;
}

} // namespace rankscope
