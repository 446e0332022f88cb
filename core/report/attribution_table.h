// SPDX-License-Identifier: GPL-3.0-or-later
// The table `attribution`: what each step of each rank was spent on, by class and leaf. The times of a step
// add up to it, those of a class to the time of the class.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/export/result_table.h"

namespace rankscope {

// account: jobAccount of the analysis.
[[nodiscard]] ResultTable attributionTable(const Analysis& analysis, const JobAccount& account);

} // namespace rankscope
