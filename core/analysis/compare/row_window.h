// SPDX-License-Identifier: GPL-3.0-or-later
// A kept step of one rank, to count rows of a side by. Pure; O(log windows).
#pragma once

#include "core/base/time_range.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace rankscope {

struct RowWindow {
  TimeRange range;
  std::size_t sample = 0;  // among the kept ones
  double weight = 1;       // of what lies in it
  double sampleWeight = 1; // of the same within its sample
};

// The window that contains t; null outside of all. windows: ascending.
[[nodiscard]] inline const RowWindow* windowAt(std::span<const RowWindow> windows, TimeNs t) {
  const auto after =
      std::ranges::upper_bound(windows, t, {}, [](const RowWindow& window) { return window.range.begin; });
  if (after == windows.begin()) return nullptr;
  const RowWindow& window = *(after - 1);
  return window.range.contains(t) ? &window : nullptr;
}

} // namespace rankscope
