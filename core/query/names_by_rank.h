// SPDX-License-Identifier: GPL-3.0-or-later
// The sums of names of a range or of a search's hits, of each rank for itself: whether all ranks spend the
// same on a name, or one of them more. The same numbers as RangeStatistics, divided. Worked out again from
// the events, a rank a thread; pure functions.
#pragma once

#include "core/query/range_statistics.h"

#include <span>

namespace rankscope {

struct RankNameSums {
  RankIndex rank;
  NameSums of;
};

// A name and kind, as they are distinguished by the statistics.
struct WantedName {
  NameId name;
  EventKind kind = EventKind::Other;

  bool operator==(const WantedName&) const = default;
};

// In the order of the wanted names, those of a name by RankIndex; a rank without events of a name is left
// out. `statistics` lists the ranks to look at. Nothing when cancelled.
[[nodiscard]] std::optional<std::vector<RankNameSums>>
rangeNamesByRank(const TraceSet& traces, const RangeStatistics& statistics,
                 std::span<const WantedName> wanted, unsigned threads, const std::atomic<bool>& cancel);
[[nodiscard]] std::optional<std::vector<RankNameSums>>
hitNamesByRank(const TraceSet& traces, const SearchHits& hits, const RangeStatistics& statistics,
               std::span<const WantedName> wanted, unsigned threads, const std::atomic<bool>& cancel);

} // namespace rankscope
