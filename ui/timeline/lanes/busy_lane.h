// SPDX-License-Identifier: GPL-3.0-or-later
// How busy a rank's devices are over time, and their estimated SM efficiency. Painting is O(width).
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& busyLanes();

} // namespace rankscope::ui
