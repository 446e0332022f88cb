// SPDX-License-Identifier: GPL-3.0-or-later
// The one lane of the tracks that few people ask for, as long as they are folded away, and the header that
// brings them out.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

#include <span>

namespace rankscope::ui {

[[nodiscard]] const LaneKind& moreLanes();

// The item that stands for these. key: what it is called in a TimelineChoice.
[[nodiscard]] LaneItem moreItem(TrackKey key, std::span<const LaneItem> folded);

} // namespace rankscope::ui
