// SPDX-License-Identifier: GPL-3.0-or-later
// What of one rank has to wait for what: device activities, the host calls that launch them, wait for them
// or allocate, data loading, and the stretches of time in which a thread works. Begins and ends are points of
// a max-plus graph; its edges are the order on threads and streams, launches, recorded and inferred waits of
// streams for one another, and calls that wait for the device. Lags are as small as the recording allows to
// believe; what they do not explain is the residual of a point, so that an unedited replay gives the
// recording, to the nanosecond. Times are on the job's clock. O(n log n) for the rank's activities.
#pragma once

#include "core/analysis/graph/rank_graph.h"

namespace rankscope {

// frozenUntil: points up to here, on the job's clock, have no edges and keep their times in every replay.
[[nodiscard]] RankGraph rankGraph(const Analysis& analysis, RankIndex rank, TimeNs frozenUntil);

} // namespace rankscope
