// SPDX-License-Identifier: GPL-3.0-or-later
// Which forward operator each function of the backward pass is the derivative of: by the arrows that the
// profiler drew; where a recording has none, by the sequence number that both have in their arguments: of the
// operators with that number the last one before the function, because numbers do not advance without grad.
// Reads the arguments of operators again from the file, in one pass, only where there are no arrows but a
// backward pass. Pure; O(operators log operators).
#pragma once

#include "core/analysis/stacks/call_nesting.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"
#include "core/model/trace_set.h"

#include <vector>

namespace rankscope {

// From the forward operator to the function, in the order of functions by thread.
[[nodiscard]] std::vector<EventFlow> backwardJoins(const RankEntry& rank, const StringTable& names,
                                                   const CallNesting& calls);

// A call with the number that a forward operator and its backward function share.
struct SequencedCall {
  EventIndex call;
  std::int64_t sequence = -1;
  bool backward = false; // it runs for the backward pass of an operator
};
// The calls of the recording that have one, in the order of `calls`; read from the file.
[[nodiscard]] std::vector<SequencedCall> sequencedCalls(const RankEntry& rank, const CallNesting& calls);

} // namespace rankscope
