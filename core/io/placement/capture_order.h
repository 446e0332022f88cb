// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the profiling cycles of a job so that capture K of every rank is the same cycle, also where a rank
// has missed one. Steps written in the names decide when all files have one; otherwise the nearest recordings
// in time belong together, in order. Pure. Cost: ranks × files of a rank × cycles.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct Recording {
  TimeRange window; // wall time; meaningless unless timeKnown
  bool timeKnown = false;
  std::optional<std::int64_t> step; // from the name: the same on all ranks of a cycle
};

// ranks: per rank its recordings, in order of time. Returns numbers of the same shape, from 1, increasing
// within a rank.
[[nodiscard]] std::vector<std::vector<int>> alignCaptures(std::span<const std::vector<Recording>> ranks);

} // namespace rankscope
