// SPDX-License-Identifier: GPL-3.0-or-later
// The lines that torch's export_stacks("self_cpu_time_total") writes: of each call with a Python stack its
// frames and the microseconds that neither its operators nor its runtime calls took. The name of the operator
// is not in the line, and equal stacks are not merged. What runs in a backward function has the stack of the
// first operator with its sequence number. Written after torch/autograd/profiler_util.py. Pure; O(n log n)
// for the host's events.
#pragma once

#include "core/analysis/stacks/backward_joins.h"
#include "core/model/rank_trace.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct TorchStackLine {
  EventIndex event;
  std::string stack; // outermost frame first, ';' between
  std::int64_t microseconds = 0;
};

// Calls take(i, text) for each of the calls that has a "Call stack" argument, which recordings of 2021 have:
// "inner;outer".
using ReadStackTexts = std::function<void(std::span<const EventIndex> calls,
                                          const std::function<void(std::size_t, std::string_view)>& take)>;

// Read from the recording's file.
[[nodiscard]] ReadStackTexts stackTextsOf(const RankEntry& rank);

// In the order of threads and begins. sequenced: sequencedCalls of the recording; without them the profiler's
// arrows say which operator a function is the derivative of.
[[nodiscard]] std::vector<TorchStackLine> torchStackLines(const RankTrace& trace, const StringTable& names,
                                                          const ReadStackTexts& readTexts,
                                                          std::span<const SequencedCall> sequenced = {});
// Of a recording whose file can be read.
[[nodiscard]] std::vector<TorchStackLine> torchStackLines(const RankEntry& rank, const StringTable& names);

} // namespace rankscope
