// SPDX-License-Identifier: GPL-3.0-or-later
// The table of lane kinds of ranks and jobs. Headers of ranks and groups and the lane of collapsed tracks are
// in every layout and not in this table.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

#include <span>

namespace rankscope::ui {

// Order of items with the same place.
[[nodiscard]] std::span<const LaneKind* const> laneKinds();

} // namespace rankscope::ui
