// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a rank: what its devices did in a window, as unions of times clipped to it; of a rank
// without devices that communicates, what its host did. Pure function; O(log n).
#pragma once

#include "core/analysis/activity/device_activity.h"

#include <QString>

#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

inline constexpr int kFigurePriorities = 5;
// Priorities of the figures.
inline constexpr int kExposedFigure = 0;
inline constexpr int kIdleFigure = 1;
inline constexpr int kComputeFigure = 2;
inline constexpr int kCommunicationFigure = 3;
inline constexpr int kOverlapFigure = 4;

struct RankFigure {
  QString label;
  QString value;    // empty: the label is a sentence
  int priority = 0; // below kFigurePriorities; 0 is shown first if space is short
  bool warns = false;
  QString shortLabel = {}; // shorter form of a sentence
};

// The column title.
[[nodiscard]] QString figureTitle(int priority);
// "exposed: ...", the definition in one line.
[[nodiscard]] QString figureDefinition(int priority);

// A rank's activity, and a window on its clock.
struct RankInWindow {
  int rank = 0;                             // its number
  const DeviceActivity* activity = nullptr; // never null: of its devices, else of its host
  TimeRange window;
  // In a selected range, as in the tabs: of the recording, all of which may be idle. Else it is from the
  // first to the last device activity.
  std::optional<TimeRange> extent = {};
};

// Means over ranks, of the sums over the captures of each; beside ranks with a device those without do not
// count. In display order.
[[nodiscard]] std::vector<RankFigure> meanFigures(std::span<const RankInWindow> ranks);

// In display order.
[[nodiscard]] std::vector<RankFigure> rankFigures(const RankInWindow& rank);

} // namespace rankscope::ui
