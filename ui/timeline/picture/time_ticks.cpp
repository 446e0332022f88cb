// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/time_ticks.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

TimeNs stepFor(TimeRange window, int width, int smallestGap) {
  const double smallestStep =
      static_cast<double>(window.length()) * static_cast<double>(smallestGap) / static_cast<double>(width);
  constexpr TimeNs kMaxDecade = 1'000'000'000'000'000'000;
  for (TimeNs decade = 1;; decade *= 10) {
    for (const TimeNs factor : {1, 2, 5})
      if (static_cast<double>(decade * factor) >= smallestStep) return decade * factor;
    if (decade == kMaxDecade) return decade * 5;
  }
}

void addTicks(TimeTicks& ticks, TimeRange window, TimeNs origin) {
  const TimeNs since = window.begin - origin;
  TimeNs number = since / ticks.step;
  if (number * ticks.step < since) ++number;
  for (TimeNs t = origin + number * ticks.step; t < window.end; t += ticks.step) ticks.times.push_back(t);
}

} // namespace

TimeTicks timeTicks(TimeRange window, int width, int smallestGap, TimeNs origin) {
  TimeTicks ticks;
  if (window.empty() || width <= 0) return ticks;
  ticks.step = stepFor(window, width, smallestGap);
  addTicks(ticks, window, origin);
  return ticks;
}

TimeTicks foldedTicks(TimeRange window, int width, int smallestGap, TimeNs origin, const TimeFolds& folds) {
  if (folds.empty()) return timeTicks(window, width, smallestGap, origin);
  TimeTicks ticks;
  if (window.empty() || width <= 0) return ticks;
  ticks.step = stepFor(window, width, smallestGap);
  TimeNs begin = window.begin;
  const auto addUpTo = [&](TimeNs end) {
    const TimeRange between = TimeRange{begin, end}.clippedTo(window);
    if (!between.empty()) addTicks(ticks, between, origin + between.begin - folds.toJob(between.begin));
  };
  for (std::size_t i = 0; i < folds.all().size(); ++i) {
    const TimeRange drawn = folds.drawnOf(i);
    addUpTo(drawn.begin);
    begin = std::max(begin, drawn.end);
  }
  addUpTo(window.end);
  return ticks;
}

int labelEvery(int room, double pixelsPerStep) {
  for (const int every : {1, 2, 5})
    if (room <= every * pixelsPerStep) return every;
  return 10;
}

} // namespace rankscope::ui
