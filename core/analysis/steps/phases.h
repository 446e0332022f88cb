// SPDX-License-Identifier: GPL-3.0-or-later
// Time of the host by phase of a training step: unions over all threads of a rank. A time of a thread belongs
// to the innermost annotation (or autograd node) that names a phase, so a "backward" inside "train" is
// backward. Threads may be in different phases at once, for example autograd's thread and the thread that
// waits for it. One pass over host events; immutable.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/event_kind.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <array>

namespace rankscope {

struct HostPhases {
  IntervalSet dataLoader;
  IntervalSet forward;
  IntervalSet loss;
  IntervalSet backward;
  IntervalSet optimizer;

  // Empty for Phase::None and Phase::Step.
  [[nodiscard]] const IntervalSet& of(Phase phase) const;
};

[[nodiscard]] HostPhases clippedTo(const HostPhases& phases, TimeRange window);

// Clipped to the window.
[[nodiscard]] HostPhases hostPhases(const RankTrace& trace, const StringTable& names,
                                    TimeRange window = kAllTime);

} // namespace rankscope
