// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of collectives for people, beside the promised ones: sums by operation and kind of group, of all
// ranks together or of each, with what follows from the sums (mean size, overlap); and the calls behind a
// row. They count what the `collectives` table counts, within the analysis' scope. O(participants).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

// The `collectives` table with mean_bytes and overlap_pct beside it.
[[nodiscard]] ResultTable collectivesByRankTable(const Analysis& analysis);

// Groups of one label and size are taken together. calls are instances, of whichever of their groups;
// total_us, wait_us, transfer_us and exposed_us are means over the ranks that take part; latency_us and
// bandwidth_gb_s are transferFit over the matched instances. By total.
[[nodiscard]] ResultTable collectiveTotalsTable(const Analysis& analysis);

// What a row of either table is about.
struct CollectiveRowKey {
  std::string group; // label
  std::int64_t size = -1;
  std::string operation;
  std::optional<std::pair<int, int>> rank; // and capture
};
[[nodiscard]] CollectiveRowKey collectiveRowKey(const ResultTable& table, std::size_t row);
// The row's calls in order of time: of its rank, or of the first rank in scope of each instance.
struct CollectiveOccurrence {
  InstanceIndex instance;
  RankIndex rank;
  EventIndex event;
};
[[nodiscard]] std::vector<CollectiveOccurrence> occurrencesOf(const Analysis& analysis,
                                                              const CollectiveRowKey& key);

} // namespace rankscope
