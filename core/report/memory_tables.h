// SPDX-License-Identifier: GPL-3.0-or-later
// The `memory` table, one row per rank, device and operator, sorted by the operator's own allocations; and
// `memory_curve`, one row per memory record in time order. If allocated bytes were not recorded, they are the
// running sum of the records.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable memoryTable(const Analysis& analysis);
[[nodiscard]] ResultTable memoryCurveTable(const Analysis& analysis);

} // namespace rankscope
