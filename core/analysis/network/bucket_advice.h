// SPDX-License-Identifier: GPL-3.0-or-later
// What a step of DistributedDataParallel would take with another bucket_cap_mb: gradients as they became
// ready are put into other buckets and sent one after the other, each as long as the group's curve says.
// Sizes of gradients are those of the reducer's copies (record_shapes=True); without them a bucket's bytes
// are spread evenly. The buckets that were recorded are replayed first: how far that is off stands beside
// every answer, and beyond a tenth of the step there is none. Over all ranks on the job's clock, so that a
// late rank delays a bucket as it did. Compute is slowed down by communication beside it as much as was
// measured. Reads the recording of one rank; O(gradients · caps).
#pragma once

#include "core/analysis/network/bandwidth.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct CapAdvice {
  std::optional<double> capMb; // nothing: the recorded buckets, replayed
  std::int64_t buckets = 0;
  double communicationUs = 0, exposedUs = 0, stepUs = 0; // medians over steps
  double waitingUs = 0; // of exposedUs: ranks that ended their compute before the last one waited for it
  std::optional<double> gainUs; // against the replay of the recorded buckets; nothing where refused
};

struct BucketAdvice {
  std::string group;
  std::int64_t ranks = 0, steps = 0;
  double stepUs = 0; // recorded, median
  // Of the step. Of a single step its own transfers are replayed, which proves nothing: then there is none,
  // and no best cap.
  std::optional<double> replayErrorPct;
  bool coarse = false; // sizes of single gradients are not known
  double slowdown = 1; // of kernels beside communication; 1 if it was not measurable
  // Latency of a transfer of a size that was not measured, where no fit tells one.
  std::optional<double> assumedAlphaUs;
  std::string refused;         // why there is no advice; empty: there is
  std::vector<CapAdvice> caps; // the recorded buckets first
  std::optional<double> best;  // a cap that is better by more than 2 % and more than the error
};

// caps: values of bucket_cap_mb; empty: the usual ones. One for each group that averages gradients.
[[nodiscard]] std::vector<BucketAdvice> bucketAdvice(const Analysis& analysis, const JobBandwidth& bandwidth,
                                                     std::span<const double> caps = {});

} // namespace rankscope
