// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the profiling cycles of a job, so that capture K is the same cycle on every rank even if a rank has
// missed one. If all file names contain a step, steps decide; otherwise the recordings closest in time belong
// together, in order. Pure. Cost: ranks × files per rank × cycles.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct Recording {
  TimeRange window; // wall time; only valid if timeKnown
  bool timeKnown = false;
  std::optional<std::int64_t> step; // from the name: equal on all ranks of a cycle
};

// ranks: recordings by rank, in time order. Returns capture numbers in the same layout, from 1, ascending
// within a rank.
[[nodiscard]] std::vector<std::vector<int>> alignCaptures(std::span<const std::vector<Recording>> ranks);

} // namespace rankscope
