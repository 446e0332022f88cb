// SPDX-License-Identifier: GPL-3.0-or-later
// How much slower compute kernels run while the device communicates. Kernels are compared with themselves:
// of one name, grid and block, those of which 80 % run beside communication with those of which nothing does.
// The factor is what the former took over what they would have taken at the median of the latter, over all
// that have three of each. Grid and block are known by the blocks an SM gets and the occupancy they reach; a
// recording without these has no factor. One pass over the device events, O(log) each.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"

#include <optional>
#include <vector>

namespace rankscope {

struct ContendedKernel {
  EventIndex kernel;
  TimeNs free = 0; // what it takes without communication: the median
};

struct Contention {
  std::vector<ContendedKernel> kernels; // in order of events; of kinds that can be compared
  TimeNs beside = 0;                    // what these took
  TimeNs free = 0;                      // what they would take without communication

  [[nodiscard]] std::optional<double> factor() const;
};

// communication: when the rank communicated, on its own clock.
[[nodiscard]] Contention contention(const RankTrace& trace, const IntervalSet& communication);

} // namespace rankscope
