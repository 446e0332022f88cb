// SPDX-License-Identifier: GPL-3.0-or-later
// Training steps marked by the profiler: host annotations ProfilerStep#N, in time order. Their copies on a
// device (gpu_user_annotation) are ignored. A name that the profiler's schedule cannot have written
// (ProfilerStep*, ProfilerStep#abc) is a step with an unknown number. One pass over host events.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct Step {
  static constexpr std::int64_t kUnknownNumber = -1;

  std::int64_t number = kUnknownNumber; // N of ProfilerStep#N; at best unique within one recording
  TimeRange range;                      // of the host annotation, wall time
  EventIndex event;

  bool operator==(const Step&) const = default;
};

// Sorted by begin, then longest first. If several threads marked the same step, all are included.
[[nodiscard]] std::vector<Step> stepsOf(const RankTrace& trace, const StringTable& names);

// Number of distinct ProfilerStep names of a rank.
[[nodiscard]] std::int64_t distinctStepCount(const RankTrace& trace, std::span<const Step> steps);

// N of "ProfilerStep#N"; Step::kUnknownNumber for other names.
[[nodiscard]] std::int64_t stepNumberOf(std::string_view name);

} // namespace rankscope
