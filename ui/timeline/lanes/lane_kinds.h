// SPDX-License-Identifier: GPL-3.0-or-later
// The table of kinds of lanes that a rank, or the job, can have. Headers of ranks and groups and what is
// folded away belong to every layout and are not in it.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

#include <span>

namespace rankscope::ui {

// Items of one place stand in this order.
[[nodiscard]] std::span<const LaneKind* const> laneKinds();

} // namespace rankscope::ui
