// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of the trace file. A lane's number is the counter's index in RankTrace::counters.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& fileCounterLanes();

} // namespace rankscope::ui
