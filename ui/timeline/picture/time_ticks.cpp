// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/time_ticks.h"

#include <algorithm>

namespace rankscope::ui {

TimeTicks timeTicks(TimeRange window, int width, int smallestGap, TimeNs origin) {
  TimeTicks ticks;
  if (window.empty() || width <= 0) return ticks;
  const double smallestStep =
      static_cast<double>(window.length()) * static_cast<double>(smallestGap) / static_cast<double>(width);
  for (TimeNs decade = 1;; decade *= 10) {
    ticks.step = decade;
    for (const TimeNs factor : {1, 2, 5}) {
      ticks.step = decade * factor;
      if (static_cast<double>(ticks.step) >= smallestStep) break;
    }
    constexpr TimeNs kMaxDecade = 1'000'000'000'000'000'000;
    if (static_cast<double>(ticks.step) >= smallestStep || decade == kMaxDecade) break;
  }
  const TimeNs since = window.begin - origin;
  TimeNs number = since / ticks.step;
  if (number * ticks.step < since) ++number;
  for (TimeNs t = origin + number * ticks.step; t < window.end; t += ticks.step) ticks.times.push_back(t);
  return ticks;
}

int labelEvery(int room, double pixelsPerStep) {
  for (const int every : {1, 2, 5})
    if (room <= every * pixelsPerStep) return every;
  return 10;
}

} // namespace rankscope::ui
