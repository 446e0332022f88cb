// SPDX-License-Identifier: GPL-3.0-or-later
// The training steps that the profiler marked: host annotations named ProfilerStep#N, in order of time. Their
// copies on a device (gpu_user_annotation) are not separate steps. A name that the profiler's
// schedule could not have written (ProfilerStep*, ProfilerStep#abc) is a step whose number is not known.
// One pass over the host's events.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

struct Step {
  static constexpr std::int64_t kUnknownNumber = -1;

  std::int64_t number = kUnknownNumber; // N of ProfilerStep#N; unique only within one recording, if there
  TimeRange range;                      // of the annotation on the host, wall time
  EventIndex event;

  bool operator==(const Step&) const = default;
};

// By begin, of equal begins the longer first. Several threads may have marked the same step: all are listed.
[[nodiscard]] std::vector<Step> stepsOf(const RankTrace& trace, const StringTable& names);

// How many different ProfilerStep names there are among the steps of one rank.
[[nodiscard]] std::int64_t distinctStepCount(const RankTrace& trace, std::span<const Step> steps);

// N of "ProfilerStep#N", Step::kUnknownNumber of any other name.
[[nodiscard]] std::int64_t stepNumberOf(std::string_view name);

} // namespace rankscope
