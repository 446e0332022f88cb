// SPDX-License-Identifier: GPL-3.0-or-later
// The header of a group of ranks, above its first rank.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& groupLanes();

// All recordings of so many of the ranks, evenly spaced, without what another profiler recorded a second
// time.
[[nodiscard]] std::vector<RankIndex> someRecordings(const TraceSet& traces,
                                                    std::span<const RankIndex> recordings, std::size_t most);

} // namespace rankscope::ui
