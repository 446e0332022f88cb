// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of tracks: threads, streams, annotations. A track has one lane per row; a collapsed one keeps a few
// readable and shows the others as thin lines. Painting is O(width), independent of the number of events.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

namespace rankscope::ui {

[[nodiscard]] const LaneKind& rowLanes();

} // namespace rankscope::ui
