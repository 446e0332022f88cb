// SPDX-License-Identifier: GPL-3.0-or-later
// Launch queue depth of a stream: kernels launched but not yet started.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& queueLanes();

} // namespace rankscope::ui
