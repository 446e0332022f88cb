// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations of inference for people: by phase, by size of the batch, and each; what the devices did between
// them. Rows keep the longest iteration that they are of. Pure; O(iterations).
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct IterationRows {
  // group, iterations, requests, tokens, context_tokens, tokens_s, duration_us, device_us, gap_before_us,
  // gap_leaf, tpot_us, launches, tflops, gb_s, bandwidth_pct: medians of the iterations of a group; tokens_s
  // over their durations; bandwidth weighted by device time.
  std::shared_ptr<const ResultTable> table;
  struct Place {
    RankIndex rank;
    EventIndex event;
    TimeRange range; // on the clock of the rank
  };
  std::vector<Place> places; // by row: the longest
};

struct IterationView {
  std::size_t iterations = 0;         // of all ranks
  double windowTime = 0;              // from the first to the last of each rank, ns
  double busyTime = 0;                // of that, with something running on the device
  double gapTime = 0;                 // between iterations
  std::optional<Leaf> gapLeaf;        // of most of it
  std::optional<double> bandwidthPct; // while decoding
  std::optional<TimeNs> timePerToken; // median, of decode and mixed iterations
  double coverage = 0;                // of the kernels' time, with known bytes
  IterationRows byPhase;
  IterationRows byRequests;
  IterationRows each;

  [[nodiscard]] bool empty() const { return iterations == 0; }
};

[[nodiscard]] IterationView iterationView(const JobReport& report);

// "96 iterations · device busy 83.1 % from their first to their last kernel · 12.1 ms per token · gaps 9.8 %,
// mostly host.python"; empty of none.
[[nodiscard]] std::string iterationText(const IterationView& view);

} // namespace rankscope
