// SPDX-License-Identifier: GPL-3.0-or-later
// Points of time as tables carry them: from the job's first event, on the job's clock.
#pragma once

#include "core/analysis/job/analysis.h"

namespace rankscope {

[[nodiscard]] inline TimeNs sinceJobBegin(const Analysis& analysis, RankIndex rank, RankTime time) {
  return analysis.clocks().of(rank).toJob(time) - analysis.extent().begin;
}

} // namespace rankscope
