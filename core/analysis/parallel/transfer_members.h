// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of the group that a rank sends and receives in. Pure function; O(calls of the rank).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// Ascending, for TransferPeer::rankAmong; of several groups that of the first such call. Empty if its members
// are not known.
[[nodiscard]] std::vector<std::int32_t> transferMembers(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
