// SPDX-License-Identifier: GPL-3.0-or-later
// Fits the duration of transfers to their size: T = α + S/β (Hockney's model), where α is the latency and β
// the bandwidth, by relative least squares of the medians by size. Pure; O(points log points).
#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope {

struct TransferPoint {
  std::int64_t bytes = 0; // S
  TimeNs time = 0;        // T
};

struct TransferFit {
  TimeNs latency = 0;       // α, never negative
  double bytesPerNs = 0;    // β, above 0; 1 is 10^9 bytes per second
  double determination = 0; // R²: share of the variance of the medians explained by size
};

// Empty if the sizes do not tell both: fewer than four distinct ones, the largest below 16 times the
// smallest, or times that do not grow with size.
[[nodiscard]] std::optional<TransferFit> transferFit(std::span<const TransferPoint> points);

} // namespace rankscope
