// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of names in a range or in search hits, by rank: shows whether all ranks spend the same time on a name.
// The numbers are those of RangeStatistics, split by rank. Computed again from the events, one rank per
// thread; pure functions.
#pragma once

#include "core/query/range_statistics.h"

#include <span>

namespace rankscope {

struct RankNameSums {
  RankIndex rank;
  NameSums of;
};

// A name and kind; RangeStatistics distinguishes both.
struct WantedName {
  NameId name;
  EventKind kind = EventKind::Other;

  bool operator==(const WantedName&) const = default;
};

// In the order of `wanted`, then by RankIndex; ranks without events of a name are omitted. `statistics` lists
// the ranks to examine. Empty if cancelled.
[[nodiscard]] std::optional<std::vector<RankNameSums>>
rangeNamesByRank(const TraceSet& traces, const RangeStatistics& statistics,
                 std::span<const WantedName> wanted, unsigned threads, const std::atomic<bool>& cancel);
[[nodiscard]] std::optional<std::vector<RankNameSums>>
hitNamesByRank(const TraceSet& traces, const SearchHits& hits, const RangeStatistics& statistics,
               std::span<const WantedName> wanted, unsigned threads, const std::atomic<bool>& cancel);

} // namespace rankscope
