// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that PyTorch's allocator handed out on a rank over time, and what it reserved for that. Cost of
// painting: the width.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& memoryLanes();

} // namespace rankscope::ui
