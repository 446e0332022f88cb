// SPDX-License-Identifier: GPL-3.0-or-later
// The header of a group of ranks, above its first rank.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& groupLanes();

} // namespace rankscope::ui
