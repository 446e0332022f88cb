// SPDX-License-Identifier: GPL-3.0-or-later
// Communication of each step by dimension. Exposed time is a union from which the dimensions before are
// subtracted, in the order pipeline, tensor, context, experts, FSDP, data, the rest: the parts add up to the
// exposed communication of the step. Waits and transfers are sums over calls whose other ranks were recorded;
// of the others it is not known what was waiting, so neither their sums nor the parts of exposed time have
// them.
#pragma once

#include "core/analysis/collectives/group_names.h"
#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct DimensionTime {
  std::size_t step = 0; // in wholeStepWindows
  RankDimension dimension = RankDimension::Unknown;
  std::int64_t calls = 0;
  ExactSum bytes;
  bool bytesKnown = false; // of at least one call
  TimeNs total = 0;        // union
  TimeNs exposed = 0;
  bool partsKnown = false; // of at least one call; else the four below are 0
  ExactSum wait;
  ExactSum transfer;
  TimeNs exposedWait = 0;     // of exposed
  TimeNs exposedTransfer = 0; // of exposed, of calls whose parts are known
  double sharePct = 0;        // exposed time of the step
};

// Dimensions in the order in which exposed time is given to them.
[[nodiscard]] std::span<const RankDimension> exposureOrder();

// dimensions: of the rank's calls. Of steps in scope, by step and dimension; of the scopedRange of each.
[[nodiscard]] std::vector<DimensionTime> dimensionTimes(const Analysis& analysis, RankIndex rank,
                                                        const std::vector<RankDimension>& dimensions);

// Of a call; nothing where no other rank of it was recorded.
struct CallParts {
  TimeNs wait = 0;
  TimeNs transfer = 0;
};
[[nodiscard]] std::optional<CallParts> callParts(const Analysis& analysis, RankIndex rank, std::size_t call);

// The step in which a call was issued, among wholeStepWindows; the number of steps if there is none.
[[nodiscard]] std::size_t stepOfTime(const StepWindows& steps, TimeNs time);

// exposedCommunication of all of a rank: steps count whole although the window of the analysis ends in them.
[[nodiscard]] IntervalSet wholeExposedCommunication(const Analysis& analysis, RankIndex rank);

// Whether a step of wholeStepWindows begins in the window of the analysis; of a window that lies inside one
// step, whether it is that step.
[[nodiscard]] bool isInScope(const Analysis& analysis, RankIndex rank, std::size_t step);

// The part of a step in scope that counts: all of it, or the window that lies inside it.
[[nodiscard]] TimeRange scopedRange(const Analysis& analysis, RankIndex rank, std::size_t step);

// As isInScope, of a kept step; any step where none is kept.
[[nodiscard]] bool isKeptInScope(const Analysis& analysis, RankIndex rank, std::size_t step);

} // namespace rankscope
