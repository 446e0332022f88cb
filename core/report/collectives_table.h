// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of collectives: sums by rank, group and operation, and every instance over all its ranks. The
// speeds are of matched calls only: a single rank's file cannot separate wait from transfer. Points of time
// count from the job's first event on the aligned clock.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable collectivesTable(const Analysis& analysis);
// Instances with a participant in scope, by first begin; id is the position among all of the job, from 1.
[[nodiscard]] ResultTable collectiveInstancesTable(const Analysis& analysis);

} // namespace rankscope
