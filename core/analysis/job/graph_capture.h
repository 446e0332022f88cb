// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings in which CUDA graphs are captured: kernels are launched into a graph and do not run, so the
// device is idle meanwhile and its figures say nothing of the job. Pure; a pass over the host events.
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

struct GraphCapture {
  std::int64_t captured = 0; // kernel launches between begin and end of a capture that ran nothing
  std::int64_t ran = 0;      // device events with a launch

  // Whether most launches were captured.
  [[nodiscard]] bool most() const { return captured > ran; }
  GraphCapture& operator+=(const GraphCapture& other);
};

// One capture: what was launched into a graph, and did not run.
struct CapturedGraph {
  TimeRange range;
  std::vector<EventIndex> launches; // of kernels, by begin
};

// Of the whole recording, by begin.
[[nodiscard]] std::vector<CapturedGraph> capturedGraphs(const RankTrace& trace, const StringTable& names);

// Within a range of the recording.
[[nodiscard]] GraphCapture graphCapture(const RankTrace& trace, const StringTable& names, TimeRange range);
// Of all ranks and their ranges that are asked about; nothing of digests.
[[nodiscard]] GraphCapture graphCapture(const Analysis& analysis);

// "CUDA graph capture: 428 kernel launches were captured and did not run ..."; empty unless most were.
[[nodiscard]] std::string graphCaptureText(const GraphCapture& capture);

} // namespace rankscope
