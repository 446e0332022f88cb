// SPDX-License-Identifier: GPL-3.0-or-later
// Backward passes of DistributedDataParallel over all ranks of a group, on the job's clock: when each bucket
// was ready, began and ended on the last of them, and the gradients in it. Of kept steps in the scope of the
// analysis. Reads sizes of gradients from the recording of one rank; O(buckets + gradients).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <map>
#include <vector>

namespace rankscope {

// A bucket over all ranks, on the job's clock.
struct JobBucket {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> elements; // of its gradients, in order; empty: not known
  std::vector<TimeNs> gradientReady;  // likewise
  TimeNs ready = kAllTime.begin, begin = kAllTime.begin, end = kAllTime.begin;
  int ranks = 0;
};

struct JobPass {
  TimeNs backwardBegin = kAllTime.end;
  std::vector<TimeNs> overlaps; // by rank: recorded communication of the buckets before the compute's end
  std::vector<JobBucket> buckets;
  std::vector<TimeNs> computeEnds; // by rank: end of the last kernel that began before the last bucket's end
  std::vector<double> stepUs;      // by rank
  bool whole = true;               // all ranks have the same buckets
};

struct BucketPasses {
  std::map<GroupIndex, std::map<std::size_t, JobPass>> passes; // by place in the kept steps
  std::map<GroupIndex, std::int64_t> ranks;                    // that have buckets of the group
};

[[nodiscard]] BucketPasses bucketPasses(const Analysis& analysis);

} // namespace rankscope
