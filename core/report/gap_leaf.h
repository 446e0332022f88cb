// SPDX-License-Identifier: GPL-3.0-or-later
// The leaf of the account for an idle gap, and whether the gap's own cause says the same. The account
// decides: it knows edges of the recording, other ranks and what the host did before. Pure functions.
#pragma once

#include "core/analysis/account/time_pieces.h"
#include "core/analysis/activity/idle_gap.h"

#include <optional>

namespace rankscope {

// The leaf with the most idle time in the range; the first one if several are equal. Empty if it has none.
[[nodiscard]] std::optional<LeafTime> largestIdleLeaf(const TimePieces& pieces, TimeRange range);

// Whether the cause is one that gaps of this leaf usually have, so that its details explain the leaf.
[[nodiscard]] bool agrees(Leaf leaf, GapCause cause);

} // namespace rankscope
