// SPDX-License-Identifier: GPL-3.0-or-later
// The `attribution` table: time of each step of each rank by class and leaf. The times of a step add up to
// the step; the times of a class add up to the class.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/export/result_table.h"

namespace rankscope {

// account: jobAccount of the analysis.
[[nodiscard]] ResultTable attributionTable(const Analysis& analysis, const JobAccount& account);

} // namespace rankscope
