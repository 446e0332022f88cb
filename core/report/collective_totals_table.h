// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of collectives for display, in addition to `collectives`: sums by operation and kind of group, over
// all ranks or by rank, with derived values (mean size, overlap); and the calls behind a row. They count the
// same calls as the `collectives` table, within the analysis' scope. O(participants).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

// The `collectives` table with the columns mean_bytes and overlap_pct; the captures of a rank together.
[[nodiscard]] ResultTable collectivesByRankTable(const Analysis& analysis);

// Groups of equal label and size are merged. calls: number of instances, over all these groups. total_us,
// wait_us, transfer_us, exposed_us: means over participating ranks. latency_us, bandwidth_gb_s: transferFit
// over matched instances. Sorted by total.
[[nodiscard]] ResultTable collectiveTotalsTable(const Analysis& analysis);

// Identifies a row of either table.
struct CollectiveRowKey {
  std::string group; // label
  std::int64_t size = -1;
  std::string operation;
  std::optional<int> rank; // in all captures
};
[[nodiscard]] CollectiveRowKey collectiveRowKey(const ResultTable& table, std::size_t row);
// The calls of a row in time order: of its rank, or of the first rank in scope for each instance.
struct CollectiveOccurrence {
  InstanceIndex instance;
  RankIndex rank;
  EventIndex event;
};
[[nodiscard]] std::vector<CollectiveOccurrence> occurrencesOf(const Analysis& analysis,
                                                              const CollectiveRowKey& key);

} // namespace rankscope
