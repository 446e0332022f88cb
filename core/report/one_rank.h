// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a job has one rank, so that nothing is divided or communicated. Pure; O(recordings).
#pragma once

#include "core/analysis/job/analysis.h"

namespace rankscope {

// As recorded; where the number of ranks was not: files of one rank, without a collective.
[[nodiscard]] bool hasOneRank(const Analysis& analysis);

} // namespace rankscope
