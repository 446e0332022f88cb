// SPDX-License-Identifier: GPL-3.0-or-later
// The line of figures in a rank's header: what its devices did in a window of time, by the definitions'
// unions clipped to it. Pure function; O(log n).
#pragma once

#include "core/analysis/activity/device_activity.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

inline constexpr int kFigurePriorities = 5;
// What a priority stands for.
inline constexpr int kExposedFigure = 0;
inline constexpr int kIdleFigure = 1;
inline constexpr int kComputeFigure = 2;
inline constexpr int kCommunicationFigure = 3;
inline constexpr int kOverlapFigure = 4;

struct RankFigure {
  QString label;
  QString value;    // empty: the label is a sentence
  int priority = 0; // below kFigurePriorities; 0 is shown first where there is little room
  bool warns = false;
  QString shortLabel = {}; // of a sentence: a few words
};

// The title of a column of such figures.
[[nodiscard]] QString figureTitle(int priority);
// "exposed: ...", the definition in one line.
[[nodiscard]] QString figureDefinition(int priority);

// In the order in which they stand, left to right.
[[nodiscard]] std::vector<RankFigure> rankFigures(const DeviceActivity& activity, TimeRange window);

} // namespace rankscope::ui
