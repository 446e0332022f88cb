// SPDX-License-Identifier: GPL-3.0-or-later
// How busy the devices of a rank are over time, and how much of that the kernels used. Cost of painting: the
// width.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& busyLanes();

} // namespace rankscope::ui
