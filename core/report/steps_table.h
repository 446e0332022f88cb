// SPDX-License-Identifier: GPL-3.0-or-later
// The `steps` table: one row per rank and step in time order, with the step's time breakdown. `kept` is 1 for
// steps included in means, gains and shares. Begins are relative to the job's first event. A step without a
// number (ProfilerStep*) has an empty cell.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable stepsTable(const Analysis& analysis);

} // namespace rankscope
