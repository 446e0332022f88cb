// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/call_facts.h"

#include "core/model/side_files.h"

#include <algorithm>

namespace rankscope {

const RankFacts* toldFacts(const Analysis& analysis, RankIndex rank) {
  const auto& told = analysis.trace().side().jobFacts;
  return rank.value < told.size() ? told[rank.value].get() : nullptr;
}

std::optional<CallFacts> callFacts(const Analysis& analysis, RankIndex rank,
                                   std::span<const std::uint8_t> first,
                                   std::span<const TransferExcess> transfers, EventIndex event) {
  if (const RankFacts* const told = toldFacts(analysis, rank)) {
    const auto found = std::ranges::lower_bound(told->calls, event, {}, &CallFacts::event);
    if (found == told->calls.end() || found->event != event) return std::nullopt;
    return *found;
  }
  const CollectiveMatch& match = analysis.collectives().match;
  const CollectiveInstance* const instance = match.instanceAt(rank, event);
  if (instance == nullptr) return std::nullopt;
  const auto index = static_cast<std::size_t>(instance - match.instances.data());
  CallFacts call;
  call.event = event;
  call.gathers = instance->operation == CollectiveOperation::AllGather;
  call.slowLink = transfers[index].slowLink;
  call.fragmented = transfers[index].fragmented;
  if (!instance->matched()) return call;
  const std::span<const Participant> participants = match.of(*instance);
  const auto own = std::ranges::lower_bound(participants, rank, {}, &Participant::rank);
  call.matched = own != participants.end() && own->rank == rank;
  if (!call.matched) return call;
  call.wait = own->wait;
  call.first = first[index] != 0;
  return call;
}

} // namespace rankscope
