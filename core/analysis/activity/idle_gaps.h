// SPDX-License-Identifier: GPL-3.0-or-later
// When a rank's devices stood still and why: the time between two busy intervals of a device (all its streams
// together) and of each stream, with what the host did meanwhile on the thread that launched what came next.
// Gaps shorter than kMinGap are only summed. A gap belongs to the window in which it begins, whole.
// Between the first and the last activity of a device, the gaps of all lengths add up to its idle time.
// O(n log n) for the device's events, O(log n) a gap.
#pragma once

#include "core/analysis/activity/idle_gap.h"
#include "core/analysis/steps/step_window.h"
#include "core/base/exact_sum.h"
#include "core/model/string_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rankscope {

struct GapTotal {
  std::int64_t count = 0;
  ExactSum time;
};

struct IdleGaps {
  std::vector<IdleGap> ofDevices;              // by device, then time
  std::vector<IdleGap> ofStreams;              // by device, stream, then time
  std::array<GapTotal, kGapCauseCount> totals; // by GapCause, of ofDevices
  GapTotal shorter;                            // gaps of devices that are not listed

  [[nodiscard]] const GapTotal& total(GapCause cause) const {
    return totals[static_cast<std::size_t>(cause)];
  }
};

// steps: of the whole recording.
[[nodiscard]] IdleGaps idleGaps(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
                                TimeRange window = kAllTime);

} // namespace rankscope
