// SPDX-License-Identifier: GPL-3.0-or-later
// What operators, kernels, modules and collectives of one rank took within its kept steps, as rows of a
// side. A call counts to the step in which it begins, whole; of compute kernels also what each owns of the
// step's computation, so that owned times add up to the class. Reads the input shapes of the operators that
// launched device work again from the file, where they are not too many. A pass over the rank's events.
#pragma once

#include "core/analysis/compare/row_window.h"
#include "core/analysis/compare/side_facts.h"
#include "core/analysis/job/analysis.h"

#include <span>
#include <vector>

namespace rankscope {

struct SideRows {
  int rank = 0;
  std::vector<SideOperator> operators;
  std::vector<SideKernel> kernels;
  std::vector<SideModule> modules;
  std::vector<SideCollective> collectives;
  double waited = 0; // in collectives, over all its kept steps
  double keptSteps = 0;
  std::vector<double> deviceTime; // by kept sample
  std::vector<double> unlaunched; // the part of it whose launch was not recorded
  std::size_t deviceEvents = 0;
  Recorded shapes = Recorded::Unknown; // of the operators that launched device work
};

// windows: of the rank, ascending; keptSamples: of the side.
[[nodiscard]] SideRows sideRows(const Analysis& analysis, RankIndex rank, std::span<const RowWindow> windows,
                                std::size_t keptSamples);

// Adds those of all ranks to the side.
void addRows(SideFacts& side, std::span<const SideRows> ranks);

} // namespace rankscope
