// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of collectives: sums by rank, group and operation; and every instance over all its ranks. Bandwidths
// are of matched calls only, because wait and transfer cannot be separated from one rank's file. Times are
// relative to the job's first event, on the aligned clock.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable collectivesTable(const Analysis& analysis);
// Instances with a participant in scope, by first begin; id is the index in the job, from 1.
[[nodiscard]] ResultTable collectiveInstancesTable(const Analysis& analysis);

} // namespace rankscope
