// SPDX-License-Identifier: GPL-3.0-or-later
// When a rank's devices were busy, and with what: unions over all streams and devices of the rank, not sums
// of durations. Only device activity counts (Kernel, Collective, Copy, Set); annotations and synchronization
// rows on a stream do not make a device busy. All sets are empty without device events. Identities: busy +
// idle = span; overlap + exposed = communication; compute is within busy, busy within span. Immutable. At
// worst O(n log n) for n device events; O(n) if each row is a separate stream.
#pragma once

#include "core/base/time_range.h"
#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"

namespace rankscope {

struct DeviceActivity {
  // W of the definitions: first begin to last end of device activity, or the recorded part of the window.
  TimeRange span;
  IntervalSet busy;          // U(K): all device activity
  IntervalSet compute;       // U(P): Kernel
  IntervalSet communication; // U(C): Collective
  IntervalSet memory;        // U(M): Copy and Set
  IntervalSet overlap;       // U(C ∩ P)
  IntervalSet exposed;       // U(C) without U(P): copies do not hide communication

  [[nodiscard]] TimeNs idle() const { return span.length() - busy.totalLength(); }
};

// With a window, intervals are clipped to it. Without any device activity the result is always empty.
[[nodiscard]] DeviceActivity deviceActivity(const RankTrace& trace, TimeRange window = kAllTime);

} // namespace rankscope
