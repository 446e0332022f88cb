// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of the communicator that a rank sends and receives with. Pure function; O(calls of the rank).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// NCCL records peers as places in its communicator: for recordings of Nsight Systems, where a peer of that
// number is. Empty for others, and if the members are not known.
[[nodiscard]] std::vector<std::int32_t> transferMembers(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
