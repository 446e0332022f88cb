// SPDX-License-Identifier: GPL-3.0-or-later
// When each bucket of DDP was filled and sent: ready when the last gradient had been copied into it (its
// launch, where copies were not recorded), relative to the begin of the backward pass of its step. Exposed is
// what no computation covers. O(collectives + operators that copy).
#pragma once

#include "core/analysis/parallel/ddp_buckets.h"
#include "core/analysis/parallel/dimension_times.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// A gradient that the reducer copied into a bucket.
struct GradientCopy {
  EventIndex copy; // the operator that copied it
  TimeNs done = 0; // on the clock of the rank: end of its kernel, or of the operator without one
};

struct BucketTime {
  DdpBucket bucket;
  TimeRange range;                // of its AllReduce, on the clock of the rank
  std::optional<TimeNs> ready;    // since the begin of the backward pass; nothing without one
  TimeNs readyAt = 0;             // on the clock of the rank
  bool copied = false;            // ready by a copy where the rank computes; else by its launch on the host
  TimeNs backward = 0;            // length of the backward pass of the step; 0 if it was not recorded
  std::optional<CallParts> parts; // nothing where no other rank was recorded
  TimeNs exposed = 0;
  TimeNs exposedTransfer = 0;          // of it, after the last rank came; 0 where that is not known
  std::vector<GradientCopy> gradients; // in order; empty where copies were not recorded

  [[nodiscard]] std::optional<double> overlapPct() const {
    if (range.length() <= 0) return std::nullopt;
    return 100 * (1 - static_cast<double>(exposed) / static_cast<double>(range.length()));
  }
};

// How much of the transfer that can overlap does, of the buckets of one step: the last bucket cannot. Without
// waits. Nothing where these are not known, nor for a single bucket.
[[nodiscard]] std::optional<double> overlapEfficiencyPct(std::span<const BucketTime> buckets);

// Of steps that begin in the window of the analysis, by step and index.
[[nodiscard]] std::vector<BucketTime> bucketTimes(const Analysis& analysis, RankIndex rank);

} // namespace rankscope
