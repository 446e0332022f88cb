// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of a range or of a search's hits as tables: by name, by kind, by rank, and by both name
// and rank. Rows stand as the statistics have them. Linear; any thread.
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
