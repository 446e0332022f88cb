// SPDX-License-Identifier: GPL-3.0-or-later
// Marks and labels of chart axes by unit. Pure functions; any thread.
#pragma once

#include "core/export/result_table.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

struct AxisMarks {
  double step = 1;
  std::vector<double> at; // ascending, within the range
};

// At multiples of 1, 2 or 5 times a power of ten, at most `most`; whole: at least one apart. Empty for an
// empty range.
[[nodiscard]] AxisMarks axisMarks(double from, double to, int most, bool whole = false);

// The same with at least two marks where that can be, which a scale needs to be read: more than `most` if
// need be.
[[nodiscard]] AxisMarks readableAxisMarks(double from, double to, int most);

// The same for amounts: counts at whole numbers, bytes at whole numbers of what they are shown in.
[[nodiscard]] AxisMarks unitAxisMarks(Unit unit, double from, double to, int most);

// Formats an amount like tables do; durations get the digits that distinguish marks `step` apart (0: three
// digits), bytes at marks one unit.
[[nodiscard]] QString amountText(Unit unit, double amount, double step = 0);

// The upper end of an axis: slightly above the largest amount; 1 if that is 0.
[[nodiscard]] double spaceAbove(double largest);

} // namespace rankscope::ui
