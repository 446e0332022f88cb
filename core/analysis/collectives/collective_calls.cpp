// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/collective_calls.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/hash.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// A launch is nested in nccl:..., record_param_comms, c10d::..., and at most one or two more wrappers.
constexpr int kLevelsUp = 6;

// While its arguments are collected.
struct ReadCall : CollectiveCall {
  CallParties read;
};

// Fills values that the call does not have yet.
void complete(ReadCall& call, const CollectiveDetail& detail) {
  const auto take = [](auto& to, const auto& from, const auto& unknown) {
    if (to == unknown) to = from;
  };
  take(call.dtype, detail.dtype, NameId());
  take(call.inElements, detail.inElements, std::int64_t{-1});
  take(call.outElements, detail.outElements, std::int64_t{-1});
  take(call.read.groupSize, detail.groupSize, std::int64_t{-1});
  take(call.read.rankStart, detail.rankStart, std::int64_t{-1});
  take(call.read.rankStride, detail.rankStride, std::int64_t{-1});
  take(call.sequence, detail.sequence, std::int64_t{-1});
  take(call.read.peer, detail.peer, TransferPeer());
  take(call.read.commsId, detail.commsId, std::uint64_t{0});
  if (!call.read.hasGroup && (detail.groupName.valid() || detail.groupRanks.valid())) {
    call.read.hasGroup = true;
    call.read.groupName = detail.groupName;
    call.read.groupDescription = detail.groupDescription;
    call.read.groupRanks = detail.groupRanks;
  }
}

class CallReader {
 public:
  CallReader(const RankTrace& trace, const StringTable& names, std::span<const Step> steps)
      : m_trace(trace), m_names(names), m_steps(steps) {}

  [[nodiscard]] CollectiveCall deviceCall(EventIndex event) {
    ReadCall call = started(event);
    call.operation = CollectiveOperation::Unknown;
    if (const CollectiveDetail* own = m_trace.collectiveOf(event)) {
      complete(call, *own);
      if (own->operation.valid()) call.operation = collectiveOperationOf(m_names[own->operation]);
    }
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    if (launch.valid()) completeFromHost(call, launch);
    const CollectiveOperation ofName = collectiveOperationOf(m_names[m_trace.events.name[event]]);
    if (call.operation == CollectiveOperation::Unknown) call.operation = ofName;
    call.step = stepAt(launch.valid() ? m_trace.events.begin[launch] : call.range.begin.ns());
    return finished(std::move(call));
  }

  [[nodiscard]] CollectiveCall hostCall(EventIndex event) {
    ReadCall call = started(event);
    call.operation = collectiveOperationOf(m_names[m_trace.events.name[event]]);
    if (const CollectiveDetail* own = m_trace.collectiveOf(event)) complete(call, *own);
    if (isPointToPoint(call.operation)) completeFromIssuer(call);
    call.step = stepAt(call.range.begin.ns());
    return finished(std::move(call));
  }

 private:
  [[nodiscard]] ReadCall started(EventIndex event) const {
    ReadCall call;
    call.event = event;
    call.range = RankRange::of(m_trace.events.range(event));
    return call;
  }
  [[nodiscard]] CollectiveCall finished(ReadCall call) {
    call.parties = m_pool.shared(call.read);
    return call;
  }

  // Uses the operators that enclose a host call, innermost first.
  void completeFromHost(ReadCall& call, EventIndex inside) const {
    for (int level = 0; level < kLevelsUp; ++level) {
      inside = m_trace.parentOf(inside);
      if (!inside.valid()) return;
      if (m_trace.events.kind[inside] != EventKind::HostCollective) continue;
      if (call.operation == CollectiveOperation::Unknown)
        call.operation = collectiveOperationOf(m_names[m_trace.events.name[inside]]);
      if (const CollectiveDetail* detail = m_trace.collectiveOf(inside)) complete(call, *detail);
    }
  }

  // Uses the call that started a transfer. It may return long before the transfer ends, so it only contains
  // its begin.
  void completeFromIssuer(ReadCall& call) const {
    const Track& track = m_trace.tracks[m_trace.trackOf(call.event).value];
    const TimeNs begin = m_trace.events.begin[call.event];
    for (std::uint32_t r = 0; r < std::min(track.rowCount, RankTrace::kMaxLevels); ++r) {
      const EventIndex e = m_trace.lastBeginningBy(RowIndex(track.firstRow.value + r), begin);
      if (!e.valid() || e == call.event || !m_trace.events.range(e).contains(begin)) continue;
      const CollectiveDetail* detail = m_trace.collectiveOf(e);
      if (detail != nullptr && detail->peer.known()) complete(call, *detail);
    }
  }

  // Number of the step at a time; between steps that of the earlier one, before the first its number - 1.
  [[nodiscard]] std::int64_t stepAt(TimeNs time) const {
    if (m_steps.empty()) return CollectiveCall::kNoStep;
    const auto after =
        std::ranges::upper_bound(m_steps, time, {}, [](const Step& s) { return s.range.begin; });
    if (after == m_steps.begin()) return m_steps.front().number - 1;
    const Step& step = *std::prev(after);
    return after == m_steps.end() && time >= step.range.end ? step.number + 1 : step.number;
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  std::span<const Step> m_steps;
  PartyPool m_pool;
};

} // namespace

const std::shared_ptr<const CallParties>& unknownParties() {
  static const auto unknown = std::make_shared<const CallParties>();
  return unknown;
}

std::shared_ptr<const CallParties> PartyPool::shared(const CallParties& parties) {
  const auto& [hasGroup, groupName, groupDescription, groupRanks, groupSize, rankStart, rankStride, commsId,
               peer] = parties;
  const std::uint64_t hash = hashOf(hasGroup, groupName.value, groupDescription.value, groupRanks.value,
                                    groupSize, rankStart, rankStride, commsId, peer.number, peer.numbering);
  const auto [first, last] = m_known.equal_range(hash);
  const auto same = std::ranges::find_if(first, last, [&](const auto& of) { return *of.second == parties; });
  return same != last ? same->second
                      : m_known.emplace(hash, std::make_shared<const CallParties>(parties))->second;
}

std::vector<CollectiveCall> collectiveCalls(const RankTrace& trace, const StringTable& names,
                                            std::span<const Step> steps) {
  std::vector<Step> numbered;
  for (const Step& step : steps) {
    const bool again = !numbered.empty() && numbered.back().number == step.number;
    if (step.number != Step::kUnknownNumber && !again) numbered.push_back(step);
  }
  CallReader reader(trace, names, numbered);
  std::vector<CollectiveCall> calls;
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    if (trace.events.kind[e] == EventKind::Collective) calls.push_back(reader.deviceCall(e));
  }
  if (trace.deviceBegin == trace.deviceEnd) {
    for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
      if (trace.events.kind[e] != EventKind::HostCollective) continue;
      if (isCollectiveOfHost(names[trace.events.name[e]])) calls.push_back(reader.hostCall(e));
    }
  }
  std::ranges::sort(calls, {}, [](const CollectiveCall& c) { return std::tuple(c.range.begin, c.event); });
  calls.shrink_to_fit();
  return calls;
}

} // namespace rankscope
