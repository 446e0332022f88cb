// SPDX-License-Identifier: GPL-3.0-or-later
// Memory allocated and reserved by PyTorch's allocator over time. Painting is O(width).
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& memoryLanes();

} // namespace rankscope::ui
