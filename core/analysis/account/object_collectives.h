// SPDX-License-Identifier: GPL-3.0-or-later
// When the host launched collectives of Python objects (all_gather_object, broadcast_object_list): a few
// sizes as 64-bit integers and then the pickled bytes, in the same group. What the host waits for right after
// one of them is other ranks, not the device. Pure; O(collectives of the rank).
#pragma once

#include "core/analysis/job/analysis.h"

#include <vector>

namespace rankscope {

// Begins of the launches, ascending, on the clock of the recording. Empty where formats were not recorded.
[[nodiscard]] std::vector<TimeNs> objectLaunches(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
