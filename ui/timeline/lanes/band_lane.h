// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes of a job with many ranks: least, median and largest share of compute and of exposed communication
// among all ranks over time. The ranks that are odd are named.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& bandLanes();

} // namespace rankscope::ui
