// SPDX-License-Identifier: GPL-3.0-or-later
// Idle gaps of a rank's devices and streams with their causes: times between busy intervals of a device (all
// streams together) and of each stream, and what the launching host thread did meanwhile. Gaps shorter than
// kMinGap are only summed. Of a gap that crosses an edge of the window, the part inside counts, with the
// cause of the whole gap. Between first and last activity of a device, gaps of all lengths add up to its idle
// time within the window. O(n log n) for device events, O(log n) per gap.
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
  std::array<GapTotal, kGapCauseCount> totals; // by GapCause, for ofDevices
  GapTotal shorter;                            // device gaps shorter than kMinGap

  [[nodiscard]] const GapTotal& total(GapCause cause) const {
    return totals[static_cast<std::size_t>(cause)];
  }
};

// steps: of the whole recording, not of the window.
[[nodiscard]] IdleGaps idleGaps(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
                                TimeRange window = kAllTime);

} // namespace rankscope
