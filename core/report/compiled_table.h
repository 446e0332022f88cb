// SPDX-License-Identifier: GPL-3.0-or-later
// The table `compiled_regions`: what torch.compile made of the model, region by region, beside what still ran
// eagerly, looking up guards and compiling. Ranks without anything compiled have no rows.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable compiledRegionsTable(const Analysis& analysis);

} // namespace rankscope
