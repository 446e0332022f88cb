// SPDX-License-Identifier: GPL-3.0-or-later
// How long a transfer takes by its size: T = α + S/β, where α is what it costs to begin one and β the speed
// of the rest (Hockney's model), by least squares. Pure; O(points).
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
  double bytesPerNs = 0;    // β, above 0; 10^9 bytes a second
  double determination = 0; // R²: the part of the times' variance that the sizes explain
};

// Nothing where the sizes do not suffice: fewer than four points, the largest under twice the smallest, or
// times that do not grow with them.
[[nodiscard]] std::optional<TransferFit> transferFit(std::span<const TransferPoint> points);

} // namespace rankscope
