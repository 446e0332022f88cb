// SPDX-License-Identifier: GPL-3.0-or-later
// When the devices of each rank were idle and why, as the account of its steps has it: a small part of the
// account, which need not be kept for it. Pure; the same results for any number of threads.
#pragma once

#include "core/analysis/account/attribution.h"

#include <vector>

namespace rankscope {

struct IdleTime {
  TimeRange range; // on the clock of the rank's recording
  Leaf leaf = Leaf::QueueUnexplained;
  TimeNs avoidable = 0; // of it, see avoidableTime
};

// By RankIndex, then time; empty for ranks that are not asked about.
using IdleTimes = std::vector<std::vector<IdleTime>>;

[[nodiscard]] IdleTimes idleTimes(const Analysis& analysis, const JobAccount& account);
// The same without the account of the job. Holds the account of one rank on each thread.
[[nodiscard]] IdleTimes idleTimes(const Analysis& analysis, unsigned threadCount);

} // namespace rankscope
