// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/transfer_fit.h"

#include "core/base/whole_number.h"

#include <algorithm>
#include <cmath>

namespace rankscope {

namespace {

constexpr std::size_t kMinPoints = 4;
constexpr std::int64_t kMinSizeRatio = 2;

} // namespace

std::optional<TransferFit> transferFit(std::span<const TransferPoint> points) {
  if (points.size() < kMinPoints) return std::nullopt;
  const auto [minimum, maxCount] = std::ranges::minmax(points, {}, &TransferPoint::bytes);
  if (minimum.bytes <= 0 || maxCount.bytes / kMinSizeRatio < minimum.bytes) return std::nullopt;
  const auto count = static_cast<double>(points.size());
  double meanBytes = 0, meanTime = 0;
  for (const TransferPoint& point : points) {
    meanBytes += static_cast<double>(point.bytes) / count;
    meanTime += static_cast<double>(point.time) / count;
  }
  double covariance = 0, spread = 0, bytesSquared = 0, product = 0, variance = 0;
  for (const TransferPoint& point : points) {
    const auto bytes = static_cast<double>(point.bytes);
    const auto time = static_cast<double>(point.time);
    covariance += (bytes - meanBytes) * (time - meanTime);
    spread += (bytes - meanBytes) * (bytes - meanBytes);
    variance += (time - meanTime) * (time - meanTime);
    bytesSquared += bytes * bytes;
    product += bytes * time;
  }
  double slope = covariance / spread;
  double latency = meanTime - slope * meanBytes;
  // A latency cannot be negative.
  if (latency < 0) {
    latency = 0;
    slope = product / bytesSquared;
  }
  if (!(slope > 0)) return std::nullopt;
  double unexplained = 0;
  for (const TransferPoint& point : points) {
    const double off = static_cast<double>(point.time) - latency - slope * static_cast<double>(point.bytes);
    unexplained += off * off;
  }
  const double explained = variance > 0 ? std::max(0.0, 1 - unexplained / variance) : 1;
  return TransferFit{rounded(latency), 1 / slope, explained};
}

} // namespace rankscope
