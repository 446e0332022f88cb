// SPDX-License-Identifier: GPL-3.0-or-later
// How to record what a recording lacks, in the words of the profiler that recorded it. Pure functions;
// O(ranks).
#pragma once

#include "core/model/trace_set.h"

#include <cstdint>
#include <string>

namespace rankscope {

// Whether Nsight Systems recorded a rank.
[[nodiscard]] bool recordedByNsight(const TraceSet& trace);

// Whether all of the job are folded stacks: what they lack is not to be recorded with another option, but
// with a profiler of events.
[[nodiscard]] bool areFoldedStacks(const TraceSet& trace);

enum class Recordable : std::uint8_t { Device, Operators, Shapes, Stacks, Memory };

// What to record or profile with: "with_stack=True", "nsys profile --trace=cuda,nvtx". Ends a sentence.
[[nodiscard]] std::string optionFor(Recordable what, const TraceSet& trace);

// What makes the profiler slow the host down, to be left out: "with_stack, profile_memory and record_shapes".
[[nodiscard]] std::string costlyOptions(const TraceSet& trace);

// Which steps to record: "torch.profiler.schedule(wait=5, warmup=2, active=3)". Nsight Systems is started
// after that many steps.
[[nodiscard]] std::string scheduleAdvice(int wait, int active, const TraceSet& trace);

} // namespace rankscope
