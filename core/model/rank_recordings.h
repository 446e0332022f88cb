// SPDX-License-Identifier: GPL-3.0-or-later
// The recordings of each rank: a rank may have been recorded several times, as captures.
#pragma once

#include "core/model/trace_set.h"

#include <vector>

namespace rankscope {

// One entry per rank with its recordings, which is never empty, in the order of the job. O(n log n).
[[nodiscard]] std::vector<std::vector<RankIndex>> recordingsByRank(const TraceSet& traces);

} // namespace rankscope
