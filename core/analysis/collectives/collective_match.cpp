// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/collective_match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

class Assembler {
 public:
  Assembler(const TraceSet& trace, CallsByRank calls, const ProcessGroups& groups,
            const ClockAlignment& clocks)
      : m_trace(trace), m_calls(calls), m_groups(groups), m_clocks(clocks) {}

  [[nodiscard]] CollectiveMatch assembled(std::vector<CallMatch> matches) {
    CollectiveMatch result;
    result.groups = m_groups.groups;
    std::vector<std::pair<CollectiveInstance, std::size_t>> instances;
    instances.reserve(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) instances.emplace_back(describe(matches[i]), i);
    std::ranges::sort(instances, {}, [&](const auto& entry) {
      const CallRef first = matches[entry.second].calls.front();
      return std::tuple(entry.first.firstBegin, first.rank, first.call);
    });
    std::size_t participants = 0;
    for (const auto* const calls : m_calls) {
      result.instanceOfCall.emplace_back(calls->size());
      participants += calls->size();
    }
    result.participants.reserve(participants);
    result.instances.reserve(instances.size());
    for (auto& [instance, match] : instances) {
      instance.first = static_cast<std::uint32_t>(result.participants.size());
      addParticipants(matches[match], instance, result);
      matches[match].calls = {}; // not kept twice
      count(instance, result);
      result.instances.push_back(instance);
    }
    for (std::uint32_t r = 0; r < m_calls.size(); ++r) {
      auto& byEvent = result.instanceOfEvent.emplace_back();
      byEvent.reserve(m_calls[r]->size());
      for (std::uint32_t c = 0; c < m_calls[r]->size(); ++c)
        byEvent.emplace_back((*m_calls[r])[c].event, result.instanceOfCall[r][c]);
      std::ranges::sort(byEvent);
    }
    return result;
  }

 private:
  [[nodiscard]] const CollectiveCall& at(CallRef ref) const { return (*m_calls[ref.rank])[ref.call]; }
  [[nodiscard]] JobRange rangeOf(CallRef ref) const {
    return m_clocks.of(RankIndex(ref.rank)).toJob(at(ref).range);
  }

  [[nodiscard]] CollectiveInstance describe(const CallMatch& match) const {
    const CallRef first = match.calls.front();
    const CollectiveCall& call = at(first);
    CollectiveInstance instance;
    instance.group = m_groups.groupOfCall[first.rank][first.call];
    instance.operation = call.operation;
    instance.dtype = call.dtype;
    instance.sequence = call.sequence;
    instance.step = call.step;
    instance.matchedBy = match.calls.size() > 1 ? match.by : MatchedBy::Nothing;
    instance.count = static_cast<std::uint32_t>(match.calls.size());
    instance.firstBegin = JobTime(INT64_MAX);
    instance.lastBegin = JobTime(INT64_MIN);
    instance.end = JobTime(INT64_MIN);
    TimeNs shortest = INT64_MAX;
    for (const CallRef ref : match.calls) {
      const JobRange range = rangeOf(ref);
      instance.firstBegin = std::min(instance.firstBegin, range.begin);
      if (range.begin > instance.lastBegin) instance.lastRank = RankIndex(ref.rank);
      instance.lastBegin = std::max(instance.lastBegin, range.begin);
      instance.end = std::max(instance.end, range.end);
      shortest = std::min(shortest, range.length());
    }
    if (instance.matched()) {
      instance.transfer = isPointToPoint(instance.operation)
                              ? std::max<TimeNs>(0, instance.end - instance.lastBegin)
                              : shortest;
    } else {
      instance.lastRank = {};
    }
    for (const CallRef ref : match.calls) {
      const auto bytes = bytesOfCall(at(ref), m_groups.groups[instance.group.value].size, m_trace.names());
      if (bytes && *bytes > instance.bytes.value_or(-1)) instance.bytes = bytes;
    }
    return instance;
  }

  void addParticipants(const CallMatch& match, const CollectiveInstance& instance,
                       CollectiveMatch& result) const {
    const InstanceIndex index(result.instances.size());
    for (const CallRef ref : match.calls) {
      Participant participant;
      participant.rank = RankIndex(ref.rank);
      participant.call = ref.call;
      participant.certain = ref.certain;
      participant.range = rangeOf(ref);
      if (instance.matched()) {
        participant.wait = std::min(instance.lastBegin - participant.range.begin, participant.range.length());
        participant.transfer = participant.range.length() - participant.wait;
      }
      result.participants.push_back(participant);
      result.instanceOfCall[ref.rank][ref.call] = index;
    }
  }

  // Number of recorded ranks that belong to the instance's group.
  [[nodiscard]] std::size_t expected(const CollectiveInstance& instance, const JobGroup& group) const {
    if (isPointToPoint(instance.operation)) return 2;
    std::size_t count = 0;
    for (const RankEntry& entry : m_trace.ranks()) {
      if (entry.capture != group.capture) continue;
      if (group.members.empty() || std::ranges::binary_search(group.members, entry.rank)) ++count;
    }
    return count;
  }

  void count(const CollectiveInstance& instance, CollectiveMatch& result) {
    const JobGroup& group = result.group(instance);
    const auto [known, isNew] =
        m_expected.try_emplace({instance.group, isPointToPoint(instance.operation)}, 0);
    if (isNew) known->second = expected(instance, group);
    if (!instance.matched()) {
      if (known->second > 1) ++result.counts.unmatched;
      return;
    }
    ++(instance.count >= known->second ? result.counts.complete : result.counts.partial);
    if (instance.matchedBy == MatchedBy::Sequence) ++result.counts.bySequence;
    if (instance.matchedBy == MatchedBy::Order) ++result.counts.byOrder;
    if (instance.matchedBy == MatchedBy::Time) ++result.counts.byTime;
  }

  const TraceSet& m_trace;
  CallsByRank m_calls;
  const ProcessGroups& m_groups;
  const ClockAlignment& m_clocks;
  std::map<std::pair<GroupIndex, bool>, std::size_t> m_expected;
};

} // namespace

const CollectiveInstance* CollectiveMatch::instanceAt(RankIndex rank, EventIndex event) const {
  const auto& byEvent = instanceOfEvent[rank.value];
  const auto found =
      std::ranges::lower_bound(byEvent, event, {}, [](const auto& entry) { return entry.first; });
  return found != byEvent.end() && found->first == event ? &instance(found->second) : nullptr;
}

CollectiveMatch assembledMatch(const TraceSet& trace, CallsByRank calls, const ProcessGroups& groups,
                               const ClockAlignment& clocks, std::vector<CallMatch> matches) {
  return Assembler(trace, calls, groups, clocks).assembled(std::move(matches));
}

} // namespace rankscope
