// SPDX-License-Identifier: GPL-3.0-or-later
// Cost of a rank's collectives, by group and operation, and in total. Waits are for recorded ranks only.
// Derived from the job's match; a call belongs to the window in which it begins. O(calls · log busy
// intervals).
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
  std::optional<ExactSum> bytes; // sum of S; empty if unknown for all calls
  ExactSum total;                // sum of durations
  ExactSum wait;                 // of matched calls; also for transfer
  ExactSum transfer;
  std::int64_t matched = 0; // calls whose instance has other participants
  ExactSum exposed;         // sum over calls of the time not overlapped by compute
  // From sums over matched calls of known size. Bytes per nanosecond are 10^9 bytes per second.
  std::optional<double> algbwGbS;
  std::optional<double> busbwGbS;
};

struct RankArrivals {
  std::int64_t collectives = 0; // matched instances of the rank
  std::int64_t last = 0;        // of them, those in which it began last, after another rank
  ExactSum wait;
  ExactSum transfer;
  ExactSum lateness; // sum of begin - first begin

  [[nodiscard]] std::optional<double> lastShare() const;
  [[nodiscard]] std::optional<TimeNs> latenessMean() const;
};

// calls: of the rank. exposedTime: exposed communication on the rank's clock. Sorted by total, largest first.
[[nodiscard]] std::vector<CollectiveStatistics>
collectiveStatistics(const CollectiveMatch& match, RankIndex rank, std::span<const CollectiveCall> calls,
                     const IntervalSet& exposedTime, const StringTable& names,
                     RankRange window = kWholeRecording);

[[nodiscard]] RankArrivals rankArrivals(const CollectiveMatch& match, RankIndex rank,
                                        std::span<const CollectiveCall> calls,
                                        RankRange window = kWholeRecording);

} // namespace rankscope
