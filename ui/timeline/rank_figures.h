// SPDX-License-Identifier: GPL-3.0-or-later
// The line of figures in a rank's header: what its devices did in a window of time, by the definitions'
// unions clipped to it. Pure function; O(log n).
#pragma once

#include "core/analysis/device_activity.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

inline constexpr int kFigurePriorities = 5;

struct RankFigure {
  QString label;
  QString value;    // empty: the label is a sentence
  int priority = 0; // below kFigurePriorities; 0 is shown first where there is little room
  bool warns = false;
};

// In the order in which they stand, left to right.
[[nodiscard]] std::vector<RankFigure> rankFigures(const DeviceActivity& activity, TimeRange window);

} // namespace rankscope::ui
