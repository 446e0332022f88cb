// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/avoidable_time.h"

#include "core/analysis/activity/idle_gap.h"

#include <algorithm>

namespace rankscope {

namespace {

// What a batch takes to fetch that a worker has ready.
constexpr TimeNs kReadyBatch = 100'000;

} // namespace

TimeNs avoidableTime(const IntervalSet& loading, TimeRange range, const TimePieces::Piece& piece) {
  if (piece.timeClass == TimeClass::ExposedMemory) return range.length();
  // Once the queue is empty the next kernel begins a launch latency after its launch, whatever came before.
  const TimeNs floor = isUnder(piece.leaf, "host.dispatch") ? 0
                       : piece.leaf == Leaf::HostInput      ? kReadyBatch
                                                            : kLaunchLatency;
  const TimeNs loaded = piece.leaf == Leaf::HostInput ? loading.coveredWithin(range) : 0;
  return std::max<TimeNs>(0, (loaded > 0 ? loaded : range.length()) - floor);
}

} // namespace rankscope
