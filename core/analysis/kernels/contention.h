// SPDX-License-Identifier: GPL-3.0-or-later
// Slowdown of compute kernels while the device communicates. Compares kernels of the same name, grid and
// block: those of which 80 % overlaps communication with those that overlap none. The factor is the time of
// the former divided by their number times the median of the latter, over all kinds with at least three
// kernels of each. Grid and block are identified by blocks per SM and occupancy; without these there is no
// factor. One pass over device events, O(log) each.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"

#include <optional>
#include <vector>

namespace rankscope {

struct ContendedKernel {
  EventIndex kernel;
  TimeNs free = 0; // median without communication
};

struct Contention {
  std::vector<ContendedKernel> kernels; // in order of events; only comparable kinds
  TimeNs beside = 0;                    // measured time of these kernels
  TimeNs free = 0;                      // expected time of these kernels without communication

  [[nodiscard]] std::optional<double> factor() const;
};

// communication: times in which the rank communicates, on its clock.
[[nodiscard]] Contention contention(const RankTrace& trace, const IntervalSet& communication);

} // namespace rankscope
