// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/call_match.h"

#include "core/analysis/collectives/sequence_align.h"
#include "core/base/hash.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// With more pairs of calls, comparing the times of all pairs costs more than it gains.
constexpr std::size_t kMaxPairs = 250'000;
// Two ranks with one clock may differ by this much about the time of an event.
constexpr TimeNs kClockTolerance = 50'000;

class CallMatcher {
 public:
  CallMatcher(std::span<const CallingRank> ranks, CallsByRank calls, const ProcessGroups& groups,
              const StringTable& names, const ClockAlignment& clocks, ComparableClocks comparable)
      : m_ranks(ranks), m_calls(calls), m_groups(groups), m_names(names), m_clocks(clocks),
        m_comparable(comparable) {}

  [[nodiscard]] std::vector<CallMatch> run() {
    std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> byGroup(m_groups.groups.size());
    for (std::uint32_t r = 0; r < m_calls.size(); ++r) {
      for (std::uint32_t c = 0; c < m_calls[r]->size(); ++c)
        byGroup[m_groups.groupOfCall[r][c].value][r].push_back(c);
    }
    for (std::size_t g = 0; g < byGroup.size(); ++g) {
      m_mixedSize = haveSeveralRecorders(byGroup[g]) ? std::optional(m_groups.groups[g].size) : std::nullopt;
      m_knowsBytes = m_mixedSize && allSayBytes(byGroup[g]);
      matchGroup(byGroup[g]);
      byGroup[g] = {};
    }
    separateTransfers();
    separateGroups();
    for (CallMatch& match : m_matches)
      std::ranges::sort(match.calls, {}, [](const CallRef& c) { return std::pair(c.rank, c.call); });
    return std::move(m_matches);
  }

 private:
  using CallsOfRanks = std::map<std::uint32_t, std::vector<std::uint32_t>>; // rank -> calls in order

  [[nodiscard]] const CollectiveCall& at(CallRef ref) const { return (*m_calls[ref.rank])[ref.call]; }
  [[nodiscard]] JobRange rangeOf(CallRef ref) const {
    return m_clocks.of(RankIndex(ref.rank)).toJob(at(ref).range);
  }

  [[nodiscard]] bool areComparable(std::uint32_t a, std::uint32_t b) const {
    return m_comparable == ComparableClocks::All ||
           (!m_ranks[a].host.empty() && m_ranks[a].host == m_ranks[b].host);
  }

  void matchGroup(const CallsOfRanks& all) {
    CallsOfRanks collective, transfers;
    for (const auto& [rank, calls] : all) {
      for (const std::uint32_t call : calls) {
        const CollectiveCall& c = at({rank, call});
        if (isPointToPoint(c.operation) && !c.parties->peer.known())
          m_matches.push_back({{{rank, call}}, MatchedBy::Nothing}); // the peer was not recorded
        else
          (isPointToPoint(c.operation) ? transfers : collective)[rank].push_back(call);
      }
    }
    if (!m_mixedSize) matchBySequence(collective); // recorders count from different calls
    matchByOrder(collective);
    matchTransfers(transfers);
  }

  // Removes calls with a sequence number from `calls` and matches them: same number, operation, and index
  // among the calls of a rank with the same values.
  void matchBySequence(CallsOfRanks& calls) {
    std::map<std::tuple<std::uint64_t, std::int64_t, CollectiveOperation, std::uint32_t>, CallMatch> byKey;
    for (auto& [rank, list] : calls) {
      std::map<std::tuple<std::uint64_t, std::int64_t, CollectiveOperation>, std::uint32_t> seen;
      std::vector<std::uint32_t> rest;
      for (const std::uint32_t call : list) {
        const CollectiveCall& c = at({rank, call});
        if (c.sequence < 0) {
          rest.push_back(call);
          continue;
        }
        const std::uint32_t again = seen[{c.parties->commsId, c.sequence, c.operation}]++;
        CallMatch& match = byKey[{c.parties->commsId, c.sequence, c.operation, again}];
        match.by = MatchedBy::Sequence;
        match.calls.push_back({rank, call});
      }
      list = std::move(rest);
    }
    for (auto& [key, match] : byKey) m_matches.push_back(std::move(match));
  }

  void matchByOrder(const CallsOfRanks& calls) {
    std::map<std::int64_t, CallsOfRanks> byStep;
    for (const auto& [rank, list] : calls) {
      for (const std::uint32_t call : list) byStep[at({rank, call}).step][rank].push_back(call);
    }
    std::int64_t firstStep = CollectiveCall::kNoStep;
    for (const auto& [step, bucket] : byStep) {
      if (step != CollectiveCall::kNoStep && firstStep == CollectiveCall::kNoStep) firstStep = step;
      // A recording that began late lacks the first calls of its first step; one that ended early lacks the
      // last calls of its last step.
      const bool opens = step == firstStep || &bucket == &byStep.begin()->second;
      matchBucket(bucket, opens && byStep.size() > 1 ? Preference::Tail : Preference::Head);
    }
  }

  [[nodiscard]] bool haveSeveralRecorders(const CallsOfRanks& all) const {
    const auto byNsight = [&](std::uint32_t rank) { return m_ranks[rank].byNsight; };
    return std::ranges::any_of(
        all, [&](const auto& calls) { return byNsight(calls.first) != byNsight(all.begin()->first); });
  }
  [[nodiscard]] bool allSayBytes(const CallsOfRanks& all) const {
    return std::ranges::all_of(all, [&](const auto& calls) {
      return std::ranges::all_of(calls.second, [&](std::uint32_t call) {
        return bytesOfCall(at({calls.first, call}), *m_mixedSize, m_names).has_value();
      });
    });
  }

  [[nodiscard]] std::uint64_t signature(const CollectiveCall& call) const {
    // Recorders name types differently; bytes are bytes.
    if (m_mixedSize)
      return hashOf(call.operation,
                    m_knowsBytes ? bytesOfCall(call, *m_mixedSize, m_names).value_or(-1) : std::int64_t{-1});
    // Only values that are equal on all ranks: not the input of a gather or the output of a scatter on one
    // rank, nor the type if only the root has a tensor.
    using enum CollectiveOperation;
    const bool hasType = call.operation != Scatter && call.operation != Gather;
    const std::uint64_t type = hasType ? hashOf(call.operation, call.dtype.value) : hashOf(call.operation);
    switch (call.operation) {
    case AllReduce:
    case ReduceScatter:
    case Broadcast:
    case Reduce:
      return hashOf(type, call.inElements);
    case AllGather:
      return hashOf(type, call.outElements);
    default:
      return type;
    }
  }

  // Progressive alignment: starts with the rank with the most calls, then aligns each other rank with the
  // result so far. Unmatched calls get a new slot.
  void matchBucket(const CallsOfRanks& bucket, Preference preference) {
    std::vector<std::uint32_t> order;
    for (const auto& [rank, calls] : bucket) order.push_back(rank);
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::uint32_t rank) { return bucket.at(rank).size(); });
    std::vector<CallMatch> slots;
    std::vector<std::uint64_t> slotSignatures;
    for (const std::uint32_t rank : order) {
      const std::vector<std::uint32_t>& calls = bucket.at(rank);
      std::vector<std::uint64_t> signatures;
      signatures.reserve(calls.size());
      for (const std::uint32_t call : calls) signatures.push_back(signature(at({rank, call})));
      place(rank, calls, signatures, preference, slots, slotSignatures);
    }
    for (CallMatch& slot : slots) m_matches.push_back(std::move(slot));
  }

  void place(std::uint32_t rank, const std::vector<std::uint32_t>& calls,
             const std::vector<std::uint64_t>& signatures, Preference preference,
             std::vector<CallMatch>& slots, std::vector<std::uint64_t>& slotSignatures) {
    MatchedBy by = MatchedBy::Order;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const bool sameCalls = signatures == slotSignatures;
    if (!sameCalls && canMatchByTime(slots, rank)) {
      by = MatchedBy::Time;
      pairs = alignByTime(slots, slotSignatures, rank, calls, signatures);
    } else {
      pairs = alignSequences(slotSignatures, signatures, preference);
    }
    std::vector<CallMatch> merged;
    std::vector<std::uint64_t> mergedSignatures;
    std::size_t nextSlot = 0, nextCall = 0;
    const auto keepSlotsBefore = [&](std::size_t slot) {
      for (; nextSlot < slot; ++nextSlot) {
        merged.push_back(std::move(slots[nextSlot]));
        mergedSignatures.push_back(slotSignatures[nextSlot]);
      }
    };
    const auto addCallsBefore = [&](std::size_t call) {
      for (; nextCall < call; ++nextCall) {
        merged.push_back({{{rank, calls[nextCall]}}, MatchedBy::Nothing});
        mergedSignatures.push_back(signatures[nextCall]);
      }
    };
    for (const auto& [slot, call] : pairs) {
      keepSlotsBefore(slot);
      addCallsBefore(call);
      slots[slot].calls.push_back({rank, calls[call], sameCalls || by == MatchedBy::Time});
      slots[slot].by = std::max(slots[slot].by, by);
      keepSlotsBefore(slot + 1);
      ++nextCall;
    }
    keepSlotsBefore(slots.size());
    addCallsBefore(calls.size());
    slots = std::move(merged);
    slotSignatures = std::move(mergedSignatures);
  }

  // Whether every slot has a call of a rank whose clock is comparable with this rank's.
  [[nodiscard]] bool canMatchByTime(const std::vector<CallMatch>& slots, std::uint32_t rank) const {
    return !slots.empty() && std::ranges::all_of(slots, [&](const CallMatch& slot) {
      return comparableCall(slot, rank).has_value();
    });
  }

  [[nodiscard]] std::optional<CallRef> comparableCall(const CallMatch& slot, std::uint32_t rank) const {
    const auto found =
        std::ranges::find_if(slot.calls, [&](const CallRef& c) { return areComparable(c.rank, rank); });
    return found == slot.calls.end() ? std::nullopt : std::optional(*found);
  }

  // Matches slots and calls that ran at the same time. Matching calls at both ends are processed first,
  // because ranks mostly differ by a few calls; only the rest needs a table of all pairs. If that is still
  // too large, the order decides.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>
  alignByTime(const std::vector<CallMatch>& slots, const std::vector<std::uint64_t>& slotSignatures,
              std::uint32_t rank, const std::vector<std::uint32_t>& calls,
              const std::vector<std::uint64_t>& signatures) const {
    const auto fits = [&](std::size_t slot, std::size_t call) {
      if (slotSignatures[slot] != signatures[call]) return false;
      const auto other = comparableCall(slots[slot], rank);
      return other && together(*other, {rank, calls[call]});
    };
    std::size_t head = 0, tail = 0;
    const std::size_t shorter = std::min(slots.size(), calls.size());
    while (head < shorter && fits(head, head)) ++head;
    while (head + tail < shorter && fits(slots.size() - 1 - tail, calls.size() - 1 - tail)) ++tail;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const auto add = [&](std::size_t slot, std::size_t call) {
      pairs.emplace_back(static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(call));
    };
    for (std::size_t k = 0; k < head; ++k) add(k, k);
    const auto a = std::span(slotSignatures).subspan(head, slots.size() - head - tail);
    const auto b = std::span(signatures).subspan(head, calls.size() - head - tail);
    const auto possible = [&](std::uint32_t slot, std::uint32_t call) {
      return fits(head + slot, head + call);
    };
    const auto middle =
        a.size() * b.size() <= kMaxPairs ? alignAllowed(a, b, possible) : alignSequences(a, b);
    for (const auto& [slot, call] : middle) add(head + slot, head + call);
    for (std::size_t k = tail; k-- > 0;) add(slots.size() - 1 - k, calls.size() - 1 - k);
    return pairs;
  }

  // Whether two calls can be one collective: in a blocking collective, all calls overlap.
  [[nodiscard]] bool together(CallRef a, CallRef b) const {
    const JobRange x = rangeOf(a);
    const JobRange y = rangeOf(b);
    return x.begin <= y.end + kClockTolerance && y.begin <= x.end + kClockTolerance;
  }

  void matchTransfers(const CallsOfRanks& calls) {
    // Sends and receives between two ranks in one direction are matched in order.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>,
             std::pair<CallMatch, CallMatch>>
        lanes;
    for (const auto& [rank, list] : calls) {
      for (const std::uint32_t call : list) {
        const CollectiveCall& c = at({rank, call});
        const JobGroup& group = m_groups.groups[m_groups.groupOfCall[rank][call].value];
        const std::int64_t self = m_ranks[rank].rank;
        const std::int64_t other = c.parties->peer.rankAmong(group.members);
        const bool sends = c.operation == CollectiveOperation::Send;
        auto& lane = lanes[{c.step, sends ? self : other, sends ? other : self, c.sequence}];
        (sends ? lane.first : lane.second).calls.push_back({rank, call});
      }
    }
    for (auto& [key, lane] : lanes) {
      const bool toItself = std::get<1>(key) == std::get<2>(key);
      const std::size_t pairs = toItself ? 0 : std::min(lane.first.calls.size(), lane.second.calls.size());
      const MatchedBy by = std::get<3>(key) >= 0 ? MatchedBy::Sequence : MatchedBy::Order;
      for (std::size_t i = 0; i < pairs; ++i)
        m_matches.push_back({{lane.first.calls[i], lane.second.calls[i]}, by});
      for (const CallMatch* side : {&lane.first, &lane.second}) {
        for (std::size_t i = pairs; i < side->calls.size(); ++i)
          m_matches.push_back({{side->calls[i]}, MatchedBy::Nothing});
      }
    }
  }

  [[nodiscard]] bool areAllComparable(const CallMatch& match) const {
    return std::ranges::all_of(
        match.calls, [&](const CallRef& call) { return areComparable(match.calls.front().rank, call.rank); });
  }

  // Whether there is a time at which all calls run.
  [[nodiscard]] bool overlap(const CallMatch& match) const {
    JobRange common = JobRange::of(kAllTime);
    for (const CallRef call : match.calls) common = common.clippedTo(rangeOf(call));
    return common.begin <= common.end + kClockTolerance;
  }

  // A send or receive kernel without a recorded peer may be part of a transfer or of an all-to-all. Only in
  // an all-to-all do all ranks overlap.
  void separateTransfers() {
    separateIf([&](const CallMatch& match) {
      if (at(match.calls.front()).operation != CollectiveOperation::SendRecv) return false;
      return !areAllComparable(match) || !overlap(match);
    });
  }

  // Calls whose group is unknown are those of one group only if all of their collectives can be.
  void separateGroups() {
    const auto groupOf = [&](const CallMatch& match) {
      const CallRef& call = match.calls.front();
      return m_groups.groupOfCall[call.rank][call.call];
    };
    std::set<GroupIndex> several;
    for (const CallMatch& match : m_matches) {
      if (m_groups.groups[groupOf(match).value].mayBeSeveral &&
          isBlockingForAll(at(match.calls.front()).operation) && areAllComparable(match) && !overlap(match))
        several.insert(groupOf(match));
    }
    separateIf([&](const CallMatch& match) { return several.contains(groupOf(match)); });
  }

  // Such matches become single calls.
  template <class Condition> void separateIf(Condition&& condition) {
    std::vector<CallMatch> singles;
    for (CallMatch& match : m_matches) {
      if (match.calls.size() < 2 || !condition(match)) continue;
      for (std::size_t i = 1; i < match.calls.size(); ++i)
        singles.push_back({{match.calls[i]}, MatchedBy::Nothing});
      match.calls.resize(1, match.calls.front());
    }
    for (CallMatch& single : singles) m_matches.push_back(std::move(single));
  }

  std::span<const CallingRank> m_ranks;
  CallsByRank m_calls;
  const ProcessGroups& m_groups;
  const StringTable& m_names;
  const ClockAlignment& m_clocks;
  ComparableClocks m_comparable;
  std::optional<std::int64_t> m_mixedSize; // of the current group, if several programs recorded it
  bool m_knowsBytes = false;               // all of its calls say how much they transfer
  std::vector<CallMatch> m_matches;
};

} // namespace

std::string_view matchedByText(MatchedBy matchedBy) {
  switch (matchedBy) {
  case MatchedBy::Nothing:
    return {};
  case MatchedBy::Sequence:
    return "sequence";
  case MatchedBy::Order:
    return "order";
  case MatchedBy::Time:
    return "time";
  }
  return {};
}

std::vector<CallingRank> callingRanks(const TraceSet& trace) {
  std::vector<CallingRank> ranks;
  ranks.reserve(trace.ranks().size());
  for (std::size_t r = 0; r < trace.ranks().size(); ++r)
    ranks.push_back({trace.ranks()[r].rank, trace.ranks()[r].host, trace.recordedByNsight(RankIndex(r))});
  return ranks;
}

std::optional<std::int64_t> bytesOfCall(const CollectiveCall& call, std::int64_t groupSize,
                                        const StringTable& names) {
  const std::string_view dtype = call.dtype.valid() ? names[call.dtype] : std::string_view();
  return messageBytes(call.operation, call.inElements, call.outElements, groupSize, dtype);
}

std::vector<CallMatch> matchedCalls(std::span<const CallingRank> ranks, CallsByRank calls,
                                    const ProcessGroups& groups, const StringTable& names,
                                    const ClockAlignment& clocks, ComparableClocks comparable) {
  return CallMatcher(ranks, calls, groups, names, clocks, comparable).run();
}

} // namespace rankscope
