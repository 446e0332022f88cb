// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a job: what every nanosecond of every step of every rank was spent on, in exactly one leaf
// of the tree of causes. Classes come from what ran on the devices, so they are the unions of DeviceActivity
// to the nanosecond; leaves divide them. A rank without device events is judged by its host: operators of the
// threads that train are computation. Pieces are on the clock of the rank's recording. Pure: the same results
// for any number of threads. O(events) a rank for the host's events, O(log) for each device event, beyond the
// collectives of the job.
#pragma once

#include "core/analysis/account/communication_leaves.h"
#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/account/time_pieces.h"
#include "core/analysis/job/analysis.h"
#include "core/base/progress.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// A step of a rank as a row of its account.
struct StepAccount {
  std::int64_t number = Step::kUnknownNumber;
  TimeRange range;
  LeafTimes times; // add up to the range
};

struct RankAccount {
  TimePieces pieces; // from the first to the last thing recorded, steps included
  // The steps that begin in the analysis's window, marked or detected. Where none does: one without a number,
  // for all of the window that was recorded.
  std::vector<StepAccount> steps;
  // The kernels in leaves of TimeClass::Compute but Ideal, steps or not. None without device events.
  KernelExcesses excesses;
};

// What of the job a rank's account needs.
struct AccountFacts {
  CommunicationFacts communication;
  std::vector<double> clockRatios; // by RankIndex
};

[[nodiscard]] AccountFacts accountFacts(const Analysis& analysis, unsigned threadCount,
                                        const Progress* progress = nullptr);

[[nodiscard]] RankAccount rankAccount(const Analysis& analysis, RankIndex rank, const AccountFacts& facts);

struct JobAccount {
  std::vector<RankAccount> ranks; // by RankIndex; empty for those that are not asked about

  [[nodiscard]] const RankAccount& of(RankIndex rank) const { return ranks[rank.value]; }
};

// Of the ranks of the analysis; what is missing when it was cancelled is empty.
[[nodiscard]] JobAccount jobAccount(const Analysis& analysis, unsigned threadCount,
                                    const Progress* progress = nullptr);

} // namespace rankscope
