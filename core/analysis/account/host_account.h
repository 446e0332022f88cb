// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a rank that computes on its host: operators of the threads that train are computation,
// collectives beside none of them are exposed, and of the rest the main thread says what it was. Cores are
// shared, so what is exposed here is a figure and not a fault. Pure; a pass over the host's events.
#pragma once

#include "core/analysis/account/communication_leaves.h"
#include "core/analysis/account/time_pieces.h"
#include "core/analysis/job/analysis.h"

namespace rankscope {

// The pieces of the range, which is on the rank's own clock. REQUIRES: the rank has no device events.
[[nodiscard]] TimePieces hostPieces(const Analysis& analysis, RankIndex rank, const CommunicationFacts& facts,
                                    TimeRange range);

} // namespace rankscope
