// SPDX-License-Identifier: GPL-3.0-or-later
// The `steps` table: one row a rank and step, in order of time, with what the step's time was spent on.
// `kept` is 1 of those that means, gains and shares are made of. Begins are counted from the job's first
// event. A step without a number (ProfilerStep*) has an empty cell.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable stepsTable(const Analysis& analysis);

} // namespace rankscope
