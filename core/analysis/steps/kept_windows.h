// SPDX-License-Identifier: GPL-3.0-or-later
// The part of each recording that sums per step are over: its kept steps alone. Pure; O(steps) over all
// recordings.
#pragma once

#include "core/analysis/steps/kept_steps.h"
#include "core/model/clock_times.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

// A recording that is asked about.
struct AskedRecording {
  std::size_t rank = 0; // as in KeptSteps
  int capture = 1;
  RankRange window; // steps that begin in it
  const StepWindows* steps = nullptr;
};

// By recording: from the begin of the first to the end of the last step of the longest run of kept steps of
// its capture that begin in the windows, each as a whole; of all these steps if none is kept. Empty for a
// recording without such steps; no windows if no recording has steps.
[[nodiscard]] std::vector<RankRange> windowsOfKeptSteps(const KeptSteps& kept,
                                                        std::span<const AskedRecording> recordings);

} // namespace rankscope
