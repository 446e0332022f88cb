// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of tracks: threads, streams, annotations. A track has as many lanes as rows; folded it keeps a few
// readable and the rest as thin lines. Cost of painting: its width, however many events there are.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& rowLanes();

} // namespace rankscope::ui
