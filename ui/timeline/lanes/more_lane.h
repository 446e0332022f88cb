// SPDX-License-Identifier: GPL-3.0-or-later
// The lane that represents the less used tracks while they are collapsed, and the header that expands them.
#pragma once

#include "ui/timeline/lanes/lane_kind.h"

#include <span>

namespace rankscope::ui {

[[nodiscard]] const LaneKind& moreLanes();

// The item for these tracks. key: its name in a TimelineChoice.
[[nodiscard]] LaneItem moreItem(TrackKey key, std::span<const LaneItem> folded);

} // namespace rankscope::ui
