// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of an inference server: the outermost annotations that its engine labels, or the launches of
// graphs where it labels none; each with the device work that was launched in it, what it computed and moved,
// and why the devices waited before it. Pure; O(events of the annotations' threads + device events).
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/efficiency/iteration_search.h"
#include "core/analysis/efficiency/rank_flops.h"
#include "core/analysis/efficiency/rank_peaks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct Iteration {
  EventIndex event;     // its annotation, the frame of its module, or the launch of its graph
  IterationLabel label; // phase and tokens also where they follow from what ran
  TimeRange host;
  TimeRange device;                // from the first begin to the last end of what it launched; empty: nothing
  TimeNs deviceTime = 0;           // of that, the time with something running
  std::optional<TimeNs> gapBefore; // from the end of the device work before; not of the first
  std::optional<Leaf> gapLeaf;     // that most of the idle time in it is in
  std::int64_t launches = 0;       // calls of the host that launched its kernels; a graph is one
  bool graphs = false;             // some of these launched a graph
  TimeNs dispatch = 0;             // idle time in its device part that waits for launches
  double coverage = 0;             // of the kernels' time, the share with a figure
  double productShare = 0;         // of the bytes, those of products: weights, while decoding
  // 10^12 operations and 10^9 bytes a second of device time; empty where less than 70 % of the kernels' time
  // has a figure.
  std::optional<double> tflops;
  std::optional<double> gigabytes;
  std::optional<double> bandwidthPct; // of the memory's peak, while decoding
  std::optional<TimeNs> perToken; // of decoding: from the end of the iteration before; nothing for the first

  [[nodiscard]] TimeRange range() const { return device.empty() ? host : host.unitedWith(device); }
};

// Of the window, in order of time.
[[nodiscard]] std::vector<Iteration> iterationsOf(const Analysis& analysis, RankIndex rank,
                                                  const RankAccount& account, const RankFlops& flops,
                                                  const RankPeaks& peaks);

// Of all ranks that are asked about, by RankIndex.
using JobIterations = std::vector<std::vector<Iteration>>;

} // namespace rankscope
