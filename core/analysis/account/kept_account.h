// SPDX-License-Identifier: GPL-3.0-or-later
// The account of the kept steps of a job as means: what its shares, gains and findings are measured against.
// Steps are those of the table `steps`, marked or detected. Of a job without any, and of a range in which no
// step begins, one window per recording stands for a step. Pure; O(steps * leaves) over all ranks.
#pragma once

#include "core/analysis/account/attribution.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace rankscope {

struct KeptWindow {
  std::int64_t number = Step::kUnknownNumber; // of the step
  TimeRange range;                            // on the clock of its recording
};

struct KeptAccount {
  // T: mean over the kept steps of the mean over their ranks; nanoseconds.
  double stepTime = 0;
  std::size_t steps = 0; // kept steps of the job that begin in what is asked about; 1 without steps
  bool areSteps = false; // false: a window per recording
  std::vector<std::vector<KeptWindow>> windows; // by RankIndex, ascending; empty for those not asked about
  // Means like stepTime, which they add up to.
  std::array<double, kLeafCount> leafTimes{};
  std::array<double, kTimeClassCount> classTimes{};

  // Of a leaf or of all that stand under a name: "host", "host.dispatch".
  [[nodiscard]] double timeOf(std::string_view leaf) const;
  // 0 to 1; 0 without any time.
  [[nodiscard]] double shareOf(double time) const { return stepTime > 0 ? time / stepTime : 0; }
};

[[nodiscard]] KeptAccount keptAccount(const Analysis& analysis, const JobAccount& account);

} // namespace rankscope
