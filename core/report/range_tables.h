// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a time range or of search hits as tables: by name, by kind, by rank, and by name and rank.
// Rows are in the order of the statistics. Linear; thread-safe.
#pragma once

#include "core/export/result_table.h"
#include "core/query/names_by_rank.h"
#include "core/query/range_statistics.h"

#include <span>

namespace rankscope {

[[nodiscard]] ResultTable rangeNamesTable(const TraceSet& traces, const RangeStatistics& statistics);
[[nodiscard]] ResultTable rangeKindsTable(const RangeStatistics& statistics);
[[nodiscard]] ResultTable rangeRanksTable(const TraceSet& traces, const RangeStatistics& statistics);
[[nodiscard]] ResultTable rangeNamesByRankTable(const TraceSet& traces, std::span<const RankNameSums> rows);

} // namespace rankscope
