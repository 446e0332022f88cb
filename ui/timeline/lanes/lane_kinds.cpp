// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/lane_kinds.h"

#include "ui/timeline/lanes/band_lane.h"
#include "ui/timeline/lanes/busy_lane.h"
#include "ui/timeline/lanes/file_counter_lane.h"
#include "ui/timeline/lanes/memory_lane.h"
#include "ui/timeline/lanes/queue_lane.h"
#include "ui/timeline/lanes/row_lane.h"

#include <array>

namespace rankscope::ui {

std::span<const LaneKind* const> laneKinds() {
  static const std::array kinds{
      &bandLanes(), &busyLanes(), &memoryLanes(), &queueLanes(), &fileCounterLanes(), &rowLanes(),
  };
  return kinds;
}

} // namespace rankscope::ui
