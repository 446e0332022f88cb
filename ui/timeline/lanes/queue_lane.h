// SPDX-License-Identifier: GPL-3.0-or-later
// How many launches a stream has in store: issued by the host and not yet begun.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& queueLanes();

} // namespace rankscope::ui
