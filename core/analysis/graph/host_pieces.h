// SPDX-License-Identifier: GPL-3.0-or-later
// What a host thread was in during a range of time: the innermost operator or runtime call, else the
// innermost Python frame, else nothing that was recorded. Pieces lie end to end. O(rows · log) a range.
#pragma once

#include "core/model/rank_trace.h"

#include <vector>

namespace rankscope {

struct HostPiece {
  TimeRange range;
  EventIndex event; // invalid where nothing was recorded
};

// range: on the clock of the recording; either track may be invalid.
[[nodiscard]] std::vector<HostPiece> hostPiecesOf(const RankTrace& trace, TrackIndex calls, TrackIndex python,
                                                  TimeRange range);

} // namespace rankscope
