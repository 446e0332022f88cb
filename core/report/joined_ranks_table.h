// SPDX-License-Identifier: GPL-3.0-or-later
// The `ranks` table with one row per rank, whose recordings (captures) are taken together: times and counts
// are sums, the mean step is over the kept steps of all of them, shares are of the sums, peaks are the
// largest. z_score and slowdown are medians over all these steps. Pure; O(ranks + steps + rows).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

// Columns and definitions of `ranks`, but for the capture: rows are those of rankRows. Equal to `ranks` where
// each rank was recorded once.
[[nodiscard]] ResultTable joinedRanksTable(const Analysis& analysis);

} // namespace rankscope
