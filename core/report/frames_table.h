// SPDX-License-Identifier: GPL-3.0-or-later
// The table `frames`: of every frame of a rank's stacks what it and what it called took, on the host and on
// the device. A stack in which a frame recurs counts once in its totals.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable framesTable(const Analysis& analysis);

} // namespace rankscope
