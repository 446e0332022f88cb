// SPDX-License-Identifier: GPL-3.0-or-later
// The counters that a file itself has. A lane's number is the counter's position in RankTrace::counters.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& fileCounterLanes();

} // namespace rankscope::ui
