// SPDX-License-Identifier: GPL-3.0-or-later
// Phases of each host thread: each time belongs to the innermost annotation or autograd node that names a
// phase. A pass over host events.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstddef>
#include <functional>
#include <span>

namespace rankscope {

inline constexpr std::size_t kPhaseCount = static_cast<std::size_t>(Phase::Optimizer) + 1;

struct PhaseSpan {
  TimeRange range;
  Phase phase;
};

struct ThreadPhases {
  std::size_t firstTrack = 0; // of the thread: its annotations, operators and calls
  std::size_t endTrack = 0;
  std::span<const PhaseSpan> parts; // in time order, without overlap; never None or Step
};

// Calls visit for each thread in track order, also without phases. `parts` is valid only in the call.
void forEachThreadsPhases(const RankTrace& trace, const StringTable& names,
                          const std::function<void(const ThreadPhases&)>& visit);

} // namespace rankscope
