// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts beside the table of kernels show: the device time of each rank by kind, and how many
// kernels ran in each step. Pure functions for a worker. A rank's kinds sum to the total times of its rows in
// the `kernels` table; a kernel counts to the step in which it begins, so steps count no kernel twice.
#pragma once

#include "core/analysis/analysis.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"

#include <QString>

#include <vector>

namespace rankscope::ui {

struct KernelCharts {
  bool any = false; // whether there is device activity at all
  BarRows kinds;
  std::vector<RankIndex> ranks; // by row of kinds
  QString kindsCaption;
  Curves perStep; // without curves: the steps cannot be told apart
  QString perStepCaption;
};

[[nodiscard]] KernelCharts kernelCharts(const Analysis& analysis);

} // namespace rankscope::ui
