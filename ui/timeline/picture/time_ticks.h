// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of ruler marks: multiples of 1, 2 or 5 times a power of ten nanoseconds from an origin, far
// enough apart for labels. Exact integers.
#pragma once

#include "core/base/time_range.h"
#include "core/base/unit_text.h"
#include "ui/job/time_folds.h"

#include <vector>

namespace rankscope::ui {

// Minimum distance of marks of the timeline's ruler and grid, in logical pixels.
inline constexpr int kTickGap = 90;
// Small units need more digits.
[[nodiscard]] constexpr int tickGapOf(TimeUnit unit) {
  return unit == TimeUnit::Nanoseconds ? 150 : unit == TimeUnit::Microseconds ? 120 : kTickGap;
}

struct TimeTicks {
  TimeNs step = 1;
  std::vector<TimeNs> times; // wall time, ascending, within the window
};

// The window is drawn over width pixels; two marks are at least smallestGap pixels apart.
[[nodiscard]] TimeTicks timeTicks(TimeRange window, int width, int smallestGap, TimeNs origin);
// The same where times are folded: multiples of the job's time as drawn, none inside of folds.
[[nodiscard]] TimeTicks foldedTicks(TimeRange window, int width, int smallestGap, TimeNs origin,
                                    const TimeFolds& folds);

// One of this many ticks has a label, if a label needs this many pixels: 1, 2, 5 or 10.
[[nodiscard]] int labelEvery(int room, double pixelsPerStep);

} // namespace rankscope::ui
