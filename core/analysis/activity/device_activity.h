// SPDX-License-Identifier: GPL-3.0-or-later
// When a rank's devices were at work, and on what: unions over all streams and devices of the rank, never
// sums of durations. Only device activity counts (Kernel, Collective, Copy, Set): annotations and
// synchronization rows on a stream do not make a device busy. Everything is empty for a job without device
// events. Identities: busy + idle = span; overlap + exposed = communication; compute is within busy, busy
// within span. Constant after it was made; O(n log n) for n device events at worst, O(n) when each row is its
// own stream.
#pragma once

#include "core/base/time_range.h"
#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"

namespace rankscope {

struct DeviceActivity {
  // W of the definitions: from the first begin to the last end of device activity, or what of the window was
  // recorded.
  TimeRange span;
  IntervalSet busy;          // U(K): anything
  IntervalSet compute;       // U(P): Kernel
  IntervalSet communication; // U(C): Collective
  IntervalSet memory;        // U(M): Copy and Set
  IntervalSet overlap;       // U(C ∩ P)
  IntervalSet exposed;       // U(C) without U(P): a copy does not hide communication

  [[nodiscard]] TimeNs idle() const { return span.length() - busy.totalLength(); }
};

// With a window the intervals are clipped to it. A rank without device activity has none in any window.
[[nodiscard]] DeviceActivity deviceActivity(const RankTrace& trace, TimeRange window = kAllTime);

} // namespace rankscope
