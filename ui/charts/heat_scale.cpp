// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/heat_scale.h"

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

QColor between(QColor a, QColor b, double share) {
  const auto mix = [&](float from, float to) {
    return static_cast<float>(from + (to - from) * static_cast<float>(share));
  };
  return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

} // namespace

HeatPeak largestIn(const HeatCells& cells, std::size_t firstColumn, std::size_t endColumn,
                   std::size_t firstRow, std::size_t endRow) {
  HeatPeak peak{-1, firstColumn, firstRow};
  for (std::size_t column = firstColumn; column < endColumn; ++column)
    for (std::size_t row = firstRow; row < endRow; ++row)
      if (cells.at(column, row) > peak.value) peak = {cells.at(column, row), column, row};
  return peak;
}

QColor heatColor(const Theme& theme, double share) {
  const bool dark = theme.name == ThemeName::Dark;
  // From the background over violet and orange to the brightest color; in the light theme to the darkest.
  const std::array<QColor, 4> stops =
      dark ? std::array{theme.raised, theme.communication.darker(165), theme.exposed, QColor(255, 232, 170)}
           : std::array{theme.raised, QColor(250, 180, 120), theme.exposed.darker(125),
                        theme.communication.darker(300)};
  constexpr double kSegments = 3;
  const double place = std::clamp(share, 0.0, 1.0) * kSegments;
  const auto segment = std::min<std::size_t>(2, static_cast<std::size_t>(place));
  return between(stops[segment], stops[segment + 1], place - static_cast<double>(segment));
}

} // namespace rankscope::ui
