// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a stretch of the account would not pass without its cause: a launch takes its latency whatever
// came before it, and a batch that is ready must still be fetched. Pure function; O(log n).
#pragma once

#include "core/analysis/account/time_pieces.h"
#include "core/index/interval_set.h"

namespace rankscope {

// Of idle time and of copies that run alone, 0 to the length of the range. loading: when the host loaded
// data.
[[nodiscard]] TimeNs avoidableTime(const IntervalSet& loading, TimeRange range,
                                   const TimePieces::Piece& piece);

} // namespace rankscope
