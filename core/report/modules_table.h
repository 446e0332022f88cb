// SPDX-License-Identifier: GPL-3.0-or-later
// The table `modules`: what each module of a rank's model took, forward and backward. Its last row of a rank
// is what belongs to no module, so that device times add up to all device time.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

#include <string_view>

namespace rankscope {

inline constexpr std::string_view kNoModule = "[no module]";

// Ranks without modules have no rows.
[[nodiscard]] ResultTable modulesTable(const Analysis& analysis);

} // namespace rankscope
