// SPDX-License-Identifier: GPL-3.0-or-later
// Operators with FLOPs of all ranks together: those that do the same work are one point. Of ranks whose
// events lie elsewhere, from what their digests answer. Pure; O(calls).
#pragma once

#include "core/analysis/efficiency/flop_points.h"
#include "core/analysis/efficiency/kernel_grid.h"
#include "core/model/trace_set.h"
#include "core/report/job_report.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Of several ranks together; times and counts are sums.
struct JobPoint {
  std::string operatorName;
  std::string shapes;
  std::string why;             // its FLOPs are not known
  std::string kernel;          // the longest
  std::string module;          // "Attention/Linear"; empty unless grouped by modules, and of none
  std::string pass;            // "forward", "backward", "recomputed"; likewise
  RankIndex rank;              // that the longest is of
  std::vector<EventRef> calls; // that ran: the longest kernel of each; only of events that are at hand
  FlopPoint point;
  std::optional<KernelGrid> grid; // of the longest kernel of a product
};

// By device time.
struct JobPoints {
  std::vector<JobPoint> operators; // with their shapes
  std::vector<JobPoint> products;  // matrix products that ran, by m, n, k and batch
  std::vector<JobPoint> modules;   // operators and shapes by module; empty without Python frames
  bool shortened = false;          // digests have only the costliest of their ranks
};

// peaks: what they are rated against.
[[nodiscard]] JobPoints jobPoints(const JobReport& report, const RankPeaks& peaks);

} // namespace rankscope
