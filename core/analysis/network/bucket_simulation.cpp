// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bucket_simulation.h"

#include <algorithm>
#include <limits>

namespace rankscope {

namespace {

constexpr double kMebibyte = 1048576;
constexpr double kDefaultCapMb = 25;
constexpr double kFirstMb = 1;

} // namespace

BucketSimulation simulateBuckets(std::span<const ReadyGradient> gradients, std::int64_t firstLimit,
                                 std::int64_t limit, double backwardEndUs,
                                 const std::function<double(std::int64_t)>& transferUs) {
  BucketSimulation result;
  SimulatedBucket open;
  double free = -std::numeric_limits<double>::infinity();
  bool filled = false;
  const auto close = [&] {
    const double takes = transferUs(open.bytes);
    open.beginUs = std::max(free, open.readyUs);
    open.endUs = open.beginUs + takes;
    free = open.endUs;
    result.communicationUs += takes;
    result.endUs = open.endUs;
    result.buckets.push_back(open);
    filled = false;
  };
  for (const ReadyGradient& gradient : gradients) {
    if (!filled) open = {0, gradient.readyUs, 0, 0};
    filled = true;
    const std::int64_t room = std::numeric_limits<std::int64_t>::max() - open.bytes;
    open.bytes += std::clamp<std::int64_t>(gradient.bytes, 0, room);
    open.readyUs = std::max(open.readyUs, gradient.readyUs);
    if (open.bytes >= (result.buckets.empty() ? firstLimit : limit)) close();
  }
  if (filled) close();
  result.exposedUs = result.buckets.empty() ? 0 : std::max(0.0, result.endUs - backwardEndUs);
  return result;
}

BucketLimits bucketLimits(double capMb) {
  const auto bytes = [](double mb) {
    return static_cast<std::int64_t>(std::clamp(mb, 0.0, 1e9) * kMebibyte);
  };
  return {bytes(capMb == kDefaultCapMb ? kFirstMb : capMb), bytes(capMb)};
}

} // namespace rankscope
