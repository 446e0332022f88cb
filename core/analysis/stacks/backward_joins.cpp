// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/backward_joins.h"

#include "core/analysis/stacks/frame_names.h"
#include "core/model/detail_source.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

// Of a text of EventArgument::OperatorInputs.
constexpr std::size_t kSequenceField = 3;
constexpr std::size_t kForwardThreadField = 6; // 0 of an operator, the thread of its operator of a function

std::string_view fieldOf(std::string_view text, std::size_t field) {
  for (; field > 0; --field) {
    const std::size_t end = text.find(kFieldEnd);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find(kFieldEnd));
}

std::optional<std::int64_t> numberIn(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whether a function of autograd may have this name: "AddmmBackward", "torch::autograd::AccumulateGrad".
bool mayBeBackward(std::string_view name) {
  return isBackwardCall(name) || name.find("Backward") != std::string_view::npos;
}

bool hasBackwardPass(const RankTrace& trace, const StringTable& names, const CallNesting& calls) {
  std::vector<std::uint8_t> known(names.size()); // 0 not looked at, 1 no, 2 yes
  return std::ranges::any_of(calls.calls, [&](EventIndex call) {
    std::uint8_t& is = known[trace.events.name[call].value];
    if (is == 0) is = mayBeBackward(names[trace.events.name[call]]) ? 2 : 1;
    return is == 2 && trace.events.kind[call] == EventKind::CpuOp;
  });
}

// Operators with each number, by begin.
using ForwardCalls = std::unordered_map<std::int64_t, std::vector<EventIndex>>;

// The last that begins before a time; invalid when there is none.
EventIndex lastBefore(const RankTrace& trace, const std::vector<EventIndex>& calls, TimeNs time) {
  const auto after =
      std::ranges::lower_bound(calls, time, {}, [&](EventIndex call) { return trace.events.begin[call]; });
  return after == calls.begin() ? EventIndex() : *std::prev(after);
}

} // namespace

std::vector<SequencedCall> sequencedCalls(const RankEntry& rank, const CallNesting& calls) {
  std::vector<SequencedCall> sequenced;
  if (rank.details == nullptr) return sequenced;
  std::vector<EventIndex> operators;
  for (const EventIndex call : calls.calls) {
    const EventKind kind = rank.trace->events.kind[call];
    if (kind == EventKind::CpuOp || kind == EventKind::HostCollective) operators.push_back(call);
  }
  const Column<SourceRef>& sourceOf = rank.trace->events.source;
  std::ranges::sort(operators, {}, [&](EventIndex call) { return sourceOf[call]; });
  std::vector<SourceRef> sources;
  sources.reserve(operators.size());
  for (const EventIndex call : operators) sources.push_back(sourceOf[call]);
  std::unordered_map<EventIndex, SequencedCall> known;
  // What cannot be read has no number.
  (void)rank.details->arguments(
      sources, EventArgument::OperatorInputs, [&](std::size_t i, std::string_view text) {
        const auto sequence = numberIn(fieldOf(text, kSequenceField));
        const auto thread = numberIn(fieldOf(text, kForwardThreadField));
        if (sequence && *sequence >= 0)
          known.emplace(operators[i], SequencedCall{operators[i], *sequence, thread.value_or(0) > 0});
      });
  for (const EventIndex call : calls.calls) {
    const auto of = known.find(call);
    if (of != known.end()) sequenced.push_back(of->second);
  }
  return sequenced;
}

std::vector<EventFlow> backwardJoins(const RankEntry& rank, const StringTable& names,
                                     const CallNesting& calls) {
  const RankTrace& trace = *rank.trace;
  if (!trace.forwardBackward.empty() || !hasBackwardPass(trace, names, calls))
    return {trace.forwardBackward.begin(), trace.forwardBackward.end()};
  const std::vector<SequencedCall> sequenced = sequencedCalls(rank, calls);
  std::vector<std::uint8_t> isBackward(calls.parent.size()); // it, or a call around it
  std::unordered_map<EventIndex, bool> own;
  own.reserve(sequenced.size());
  for (const SequencedCall& call : sequenced) own.emplace(call.call, call.backward);
  for (const EventIndex call : calls.calls) { // callers first
    const EventIndex parent = calls.parentOf(call);
    const auto known = own.find(call);
    const bool is = (known != own.end() && known->second) || isBackwardCall(names[trace.events.name[call]]);
    isBackward[call.value] = is || (parent.valid() && isBackward[parent.value] != 0) ? 1 : 0;
  }
  ForwardCalls forward;
  for (const SequencedCall& call : sequenced) {
    if (isBackward[call.call.value] == 0) forward[call.sequence].push_back(call.call);
  }
  for (auto& [number, of] : forward)
    std::ranges::stable_sort(of, {}, [&](EventIndex call) { return trace.events.begin[call]; });
  std::vector<EventFlow> joins;
  for (const SequencedCall& call : sequenced) {
    if (!call.backward) continue;
    // The outermost of the calls with that number is the function.
    const EventIndex parent = calls.parentOf(call.call);
    if (parent.valid() && isBackward[parent.value] != 0 && !isBackwardCall(names[trace.events.name[parent]]))
      continue;
    const auto of = forward.find(call.sequence);
    if (of == forward.end()) continue;
    const EventIndex from = lastBefore(trace, of->second, trace.events.begin[call.call]);
    if (from.valid()) joins.push_back({from, call.call});
  }
  return joins;
}

} // namespace rankscope
