// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a heat map, folded by their maximum, and the colors of its scale. Pure functions; any thread.
#pragma once

#include "ui/base/theme.h"

#include <cstddef>
#include <vector>

namespace rankscope::ui {

struct HeatCells {
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<float> values; // by column, then row; negative: there is nothing

  [[nodiscard]] float at(std::size_t column, std::size_t row) const { return values[column * rows + row]; }
};

// The largest of a block of cells, and where it is; negative: nothing is in it.
struct HeatPeak {
  float value = -1;
  std::size_t column = 0;
  std::size_t row = 0;
};
[[nodiscard]] HeatPeak largestIn(const HeatCells& cells, std::size_t firstColumn, std::size_t endColumn,
                                 std::size_t firstRow, std::size_t endRow);

// share 0 to 1 of the scale; its brightness changes one way only, so that it does not depend on color vision.
[[nodiscard]] QColor heatColor(const Theme& theme, double share);

} // namespace rankscope::ui
