// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and texts of a chart's axes, by the unit of what is drawn. Pure functions; any thread.
#pragma once

#include "core/export/result_table.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

struct AxisMarks {
  double step = 1;
  std::vector<double> at; // ascending, within the range
};

// At multiples of 1, 2 or 5 times a power of ten, at most so many, at least one apart where whole things are
// counted. Empty for an empty range.
[[nodiscard]] AxisMarks axisMarks(double from, double to, int most, bool whole = false);

// As tables write the unit; of durations, the digits that distinguish marks step apart (0: three digits).
[[nodiscard]] QString amountText(Unit unit, double amount, double step = 0);

// A little more than the largest amount, so that a curve does not touch the frame; 1 for nothing.
[[nodiscard]] double spaceAbove(double largest);

} // namespace rankscope::ui
