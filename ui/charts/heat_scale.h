// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of a heat map, combined by maximum, and the colors of its scale. Pure functions; any thread.
#pragma once

#include "ui/base/theme.h"

#include <cstddef>
#include <vector>

namespace rankscope::ui {

struct HeatCells {
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<float> values; // by column, then row; negative: empty

  [[nodiscard]] float at(std::size_t column, std::size_t row) const { return values[column * rows + row]; }
};

// The largest of a block of cells, and its position; negative: all are empty.
struct HeatPeak {
  float value = -1;
  std::size_t column = 0;
  std::size_t row = 0;
};
[[nodiscard]] HeatPeak largestIn(const HeatCells& cells, std::size_t firstColumn, std::size_t endColumn,
                                 std::size_t firstRow, std::size_t endRow);

// share: 0 to 1. The brightness is monotonic, so that the scale does not depend on color vision.
[[nodiscard]] QColor heatColor(const Theme& theme, double share);

} // namespace rankscope::ui
