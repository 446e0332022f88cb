// SPDX-License-Identifier: GPL-3.0-or-later
// What single collectives take beyond what their bytes would take otherwise: on a link or transport that is
// slower than that of groups of the same kind, or because many small ones are sent where few would do. Pure
// functions of plain data, and what they give for a job. O(collectives · log).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// Buckets of this size lose nothing to latency.
inline constexpr std::int64_t kBucketBytes = 25'000'000;

// Groups that are compared with each other have the same kind: operation, number of ranks and of hosts.
struct TransferSample {
  std::uint64_t kind = 0;
  std::uint32_t group = 0;
  std::int64_t bytes = 0;
  TimeNs time = 0; // after the last rank arrived
};

// By sample, what it takes beyond the speed of the other groups of its kind: only of groups with five samples
// of 16 MB or more that reach less than half of it.
[[nodiscard]] std::vector<TimeNs> slowLinkExcess(std::span<const TransferSample> samples);

// One operation of one group in the steps that have it.
struct TransferSeries {
  struct Call {
    std::optional<std::int64_t> bytes;
    TimeNs time = 0;
  };
  std::vector<Call> calls;
  std::size_t steps = 0;
};

// What each call would save if the bytes of a step were sent in buckets: the latency, by the share of calls
// that would go. 0 where there are fewer than four times as many calls as buckets, or calls take long.
[[nodiscard]] TimeNs fragmentationExcess(const TransferSeries& series);

struct TransferExcess {
  TimeNs slowLink = 0;
  TimeNs fragmented = 0;
};

// By InstanceIndex.
[[nodiscard]] std::vector<TransferExcess> transferExcesses(const Analysis& analysis);

} // namespace rankscope
