// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of a range or of a search's hits as tables: by name, by kind and by rank. Rows stand as the
// statistics have them. Linear; any thread.
#pragma once

#include "core/export/result_table.h"
#include "core/query/range_statistics.h"

namespace rankscope {

[[nodiscard]] ResultTable rangeNamesTable(const TraceSet& traces, const RangeStatistics& statistics);
[[nodiscard]] ResultTable rangeKindsTable(const RangeStatistics& statistics);
[[nodiscard]] ResultTable rangeRanksTable(const TraceSet& traces, const RangeStatistics& statistics);

} // namespace rankscope
