// SPDX-License-Identifier: GPL-3.0-or-later
// When the host was in which part of a training step: unions over all threads of a rank. An instant of a
// thread belongs to the innermost annotation (or autograd node) that names a phase, so a "backward" inside
// "train" is backward; two threads may be in two phases at once, as autograd's thread and the one that waits
// for it are. One pass over the host's events; constant.
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
