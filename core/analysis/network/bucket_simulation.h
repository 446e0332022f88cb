// SPDX-License-Identifier: GPL-3.0-or-later
// What DistributedDataParallel's buckets would cost at another bucket_cap_mb: gradients are put into buckets
// as the reducer does, and buckets are sent one after the other on one stream. Pure; O(gradients).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rankscope {

// A gradient in the order in which it becomes ready.
struct ReadyGradient {
  std::int64_t bytes = 0;
  double readyUs = 0;
};

struct SimulatedBucket {
  std::int64_t bytes = 0;
  double readyUs = 0, beginUs = 0, endUs = 0;
};

struct BucketSimulation {
  std::vector<SimulatedBucket> buckets;
  double communicationUs = 0; // sum of transfers
  double endUs = 0;
  double exposedUs = 0; // after the end of the backward pass
};

// A bucket is closed as soon as it holds its limit or more; a gradient is never split. firstLimit: of the
// first bucket. transferUs: time of a transfer of so many bytes.
[[nodiscard]] BucketSimulation simulateBuckets(std::span<const ReadyGradient> gradients,
                                               std::int64_t firstLimit, std::int64_t limit,
                                               double backwardEndUs,
                                               const std::function<double(std::int64_t)>& transferUs);

// Limits in bytes of bucket_cap_mb; the first bucket is small only with the default cap of 25.
struct BucketLimits {
  std::int64_t first = 0, others = 0;
};
[[nodiscard]] BucketLimits bucketLimits(double capMb);

// Caps that advice compares.
inline constexpr int kBucketCaps[] = {1, 5, 10, 25, 50, 100, 250};

} // namespace rankscope
