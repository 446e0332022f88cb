// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of the kernels tab: device time of each rank by kind, and the number of kernels per step. Pure
// functions for a worker. A rank's kinds sum to the total times of its rows in the `kernels` table; a
// kernel counts in the step in which it begins, so no kernel is counted twice. Of many ranks, outliers and
// representatives have a bar.
#pragma once

#include "core/analysis/job/analysis.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

struct KernelCharts {
  bool any = false; // whether there is device activity at all
  BarRows kinds;
  std::vector<RankIndex> ranks; // by row of kinds
  QString kindsCaption;
  Curves perStep;                     // without curves: no steps
  std::vector<RankIndex> rankOfCurve; // invalid: of several ranks
  bool perRank = false;               // one step: x counts ranks instead of steps
  QString perStepCaption;

  // The row of a rank in `kinds`, or its curve; -1: none.
  [[nodiscard]] int barOf(RankIndex rank) const;
  [[nodiscard]] int curveOf(RankIndex rank) const;
  // Rank and step of a point of the curves; the rank is invalid for a curve of several ranks.
  [[nodiscard]] RankIndex rankAt(int curve) const;
  [[nodiscard]] std::int64_t stepAt(const Analysis& analysis, int curve, double x) const;
};

[[nodiscard]] KernelCharts kernelCharts(const Analysis& analysis);

} // namespace rankscope::ui
