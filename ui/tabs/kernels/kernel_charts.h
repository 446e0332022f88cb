// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts beside the table of kernels show: the device time of each rank by kind, and how many
// kernels ran in each step. Pure functions for a worker. A rank's kinds sum to the total times of its rows in
// the `kernels` table; a kernel counts to the step in which it begins, so steps count no kernel twice. Of
// many ranks those that stand out have their bar, and some that stand for the rest.
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
  Curves perStep;                     // without curves: the steps cannot be distinguished
  std::vector<RankIndex> rankOfCurve; // invalid: of several ranks
  bool perRank = false;               // one step: x counts ranks instead of steps
  QString perStepCaption;

  // The row of kinds that shows a rank, or its curve; -1: none does.
  [[nodiscard]] int barOf(RankIndex rank) const;
  [[nodiscard]] int curveOf(RankIndex rank) const;
  // What a place of the curves is about: the rank is invalid where there are only curves of several.
  [[nodiscard]] RankIndex rankAt(int curve) const;
  [[nodiscard]] std::int64_t stepAt(const Analysis& analysis, int curve, double x) const;
};

[[nodiscard]] KernelCharts kernelCharts(const Analysis& analysis);

} // namespace rankscope::ui
