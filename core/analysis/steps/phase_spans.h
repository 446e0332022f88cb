// SPDX-License-Identifier: GPL-3.0-or-later
// The phases of each host thread: every instant of it is given to the innermost annotation or autograd node
// that names one. Asks a pass over the host's events.
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
  std::size_t firstTrack = 0; // of the thread: its annotations, its operators and calls
  std::size_t endTrack = 0;
  std::span<const PhaseSpan> parts; // in order of time, without overlap; never None or Step
};

// Thread by thread in the order of the tracks, also those without a phase. What visit is given ends with it.
void forEachThreadsPhases(const RankTrace& trace, const StringTable& names,
                          const std::function<void(const ThreadPhases&)>& visit);

} // namespace rankscope
