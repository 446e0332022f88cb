// SPDX-License-Identifier: GPL-3.0-or-later
// A load's filter as the readers of one file apply it. An event of the host stays when it overlaps the
// window, one of a device also when it began later and a launch that stays launched it. Nothing is clipped.
#pragma once

#include "core/base/time_range.h"

#include <optional>

namespace rankscope {

struct EventFilter {
  bool skipPython = false;
  bool skipCpuOps = false;
  std::optional<TimeRange> window = {}; // on the file's clock, without its base time
};

} // namespace rankscope
