// SPDX-License-Identifier: GPL-3.0-or-later
// The buckets in which DistributedDataParallel averages gradients: the AllReduces that one backward pass
// launched on the data-parallel group, in the order of their launches. Their elements add up to the
// parameters that have gradients. Nothing for jobs without DistributedDataParallel, and where elements were
// not recorded. O(collectives of the rank).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/byte_pack.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

struct DdpBucket {
  std::size_t call = 0;  // a place in Analysis::collectiveCalls of the rank
  std::size_t step = 0;  // a place in wholeStepWindows of the rank
  std::size_t index = 0; // within its step, from 0 on
  std::int64_t elements = 0;
  std::optional<std::int64_t> bytes; // unknown with an unknown number format
};

// Of the whole recording, by step and index.
template <class Archive, Described<DdpBucket> T> void describe(Archive& archive, T& bucket) {
  auto& [call, step, index, elements, bytes] = bucket;
  archive(call, step, index, elements, bytes);
}

// Whether its call and step are some of the rank.
[[nodiscard]] bool isOf(const Analysis& analysis, RankIndex rank, const DdpBucket& bucket);

// Whether the rank ran DistributedDataParallel's forward.
[[nodiscard]] bool usesDdp(const TraceSet& trace, RankIndex rank);

[[nodiscard]] std::vector<DdpBucket> ddpBuckets(const Analysis& analysis, RankIndex rank);

// Parameters with gradients: the elements of one step, of those steps that have the most buckets (a step of
// gradient accumulation has none, one that was cut fewer). Nothing without buckets.
[[nodiscard]] std::optional<std::int64_t> parametersOf(const std::vector<DdpBucket>& buckets);

} // namespace rankscope
