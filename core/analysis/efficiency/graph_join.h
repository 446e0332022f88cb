// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of CUDA graph replays compute. A replay has the kernels and no operators; the recording of
// its capture has the operators and launches, and no kernels. Both are in the same order, so a replay is
// joined with a capture of the same rank that has as many launches, and whose products meet kernels of
// products; of several the one that was captured for as many requests. Pure; O(launches + kernels), and a
// pass over the file for attention.
#pragma once

#include "core/analysis/efficiency/rank_flops.h"
#include "core/analysis/job/graph_capture.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

// A recording in which graphs were captured.
struct CaptureSource {
  RankIndex rank;
  const RankFlops* flops = nullptr;
  std::vector<CapturedGraph> graphs;
  std::vector<std::int64_t> batches; // of each: requests of its annotation "capture_32_FULL"; -1 none
};

// Without graphs, if the recording captured none.
[[nodiscard]] CaptureSource captureSource(const Analysis& analysis, RankIndex rank, const RankFlops& flops);

// Calls for what the graphs of a recording replayed, as operators of their captures: a call's place on the
// host is the launch of its graph. Empty where no capture fits.
struct ReplayedCalls {
  std::vector<FlopCall> calls;
  std::vector<std::string> shapes;                         // by place of `calls`
  std::vector<std::pair<EventIndex, std::size_t>> kernels; // device event, place in `calls`
};

[[nodiscard]] ReplayedCalls replayedCalls(const Analysis& analysis, RankIndex rank,
                                          const std::vector<const CaptureSource*>& sources);

// Adds them to what the recording's own operators computed.
void addReplayed(const RankTrace& trace, ReplayedCalls replayed, RankFlops& flops);

} // namespace rankscope
