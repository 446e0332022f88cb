// SPDX-License-Identifier: GPL-3.0-or-later
// A load filter applied to one file. Host events are kept if they overlap the window; device events also if a
// kept launch started them. Events are not clipped.
#pragma once

#include "core/base/time_range.h"

#include <optional>

namespace rankscope {

struct EventFilter {
  bool skipPython = false;
  bool skipCpuOps = false;
  std::optional<TimeRange> window = {}; // in file time, without the base time
};

} // namespace rankscope
