// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's collectives cost it: by group and operation, and all together. Waits are those for the ranks
// that were recorded. Derived from the job's match; a call counts to the window in which it begins.
// O(calls · log busy intervals).
#pragma once

#include "core/analysis/collectives/collective_match.h"
#include "core/base/exact_sum.h"
#include "core/index/interval_set.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct CollectiveStatistics {
  GroupIndex group;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  std::int64_t calls = 0;
  std::optional<ExactSum> bytes; // sum of S; nothing when it is not known of any call
  ExactSum total;                // sum of durations
  ExactSum wait;                 // of matched calls, like transfer
  ExactSum transfer;
  std::int64_t matched = 0; // calls whose instance has other participants
  ExactSum exposed;         // sum over the calls of what no computation hides
  // Sums over matched calls of known size: bytes a nanosecond are 10^9 bytes a second.
  std::optional<double> algbwGbS;
  std::optional<double> busbwGbS;
};

struct RankArrivals {
  std::int64_t collectives = 0; // matched instances that the rank took part in
  std::int64_t last = 0;        // of them, those in which it began last and somebody began before it
  ExactSum wait;
  ExactSum transfer;
  ExactSum lateness; // sum of begin - first begin

  [[nodiscard]] std::optional<double> lastShare() const;
  [[nodiscard]] std::optional<TimeNs> latenessMean() const;
};

// calls: of the rank. exposedTime: when it communicated and did not compute, on its own clock. By total,
// largest first.
[[nodiscard]] std::vector<CollectiveStatistics>
collectiveStatistics(const CollectiveMatch& match, RankIndex rank, std::span<const CollectiveCall> calls,
                     const IntervalSet& exposedTime, const StringTable& names,
                     RankRange window = kWholeRecording);

[[nodiscard]] RankArrivals rankArrivals(const CollectiveMatch& match, RankIndex rank,
                                        std::span<const CollectiveCall> calls,
                                        RankRange window = kWholeRecording);

} // namespace rankscope
