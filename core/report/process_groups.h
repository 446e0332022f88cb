// SPDX-License-Identifier: GPL-3.0-or-later
// The process groups of a job as a table: what they are called, which ranks are in them, and what went
// through them within the analysis' scope. O(participants).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

// One row a group that has a collective in scope; groups of collectives whose group was not recorded are left
// out of names and stand as "all ranks". collectives are instances, bytes the sum of theirs, wait_us the mean
// over the ranks in scope. The longest waits first.
[[nodiscard]] ResultTable processGroupsTable(const Analysis& analysis);

} // namespace rankscope
