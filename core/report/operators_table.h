// SPDX-License-Identifier: GPL-3.0-or-later
// The `operators` table: one row per rank and operator name, sorted by device self time, then host self time.
// Totals are sums over calls.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable operatorsTable(const Analysis& analysis);

} // namespace rankscope
