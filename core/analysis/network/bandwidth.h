// SPDX-License-Identifier: GPL-3.0-or-later
// How fast collectives of a job are by size, next to what the fabric gives: from the transfers of matched
// collectives, waiting taken out, and from tables of nccl-tests. A bandwidth needs all ranks of a group.
// O(collectives log collectives).
#pragma once

#include "core/analysis/collectives/transfer_curve.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/network/job_network.h"
#include "core/analysis/network/network_input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Links that a communicator of some hosts uses at best.
struct ExpectedLinks {
  const Fabric* within = nullptr;  // between GPUs of a host
  const Fabric* between = nullptr; // between hosts
  std::int64_t ports = 1;          // of a host
  std::string from;                // what they were recognized by
};

struct BandwidthSize {
  std::int64_t bytes = 0;    // S
  std::int64_t samples = 0;  // that the times are of
  std::int64_t excluded = 0; // for one of these reasons
  std::int64_t unmatched = 0, untimed = 0, first = 0;
  std::int64_t contended = 0;                // beside another communication kernel; not in the times
  double contendedUs = 0;                    // their median
  double medianUs = 0, p10Us = 0, p90Us = 0; // 0 without samples
  double algbwGbS = 0, busbwGbS = 0;
  std::string algorithm;                                 // "RING", if NCCL's log tells one
  std::optional<double> expectedBusbwGbS, efficiencyPct; // where the size is large enough to be judged
  std::vector<InstanceIndex> instances;                  // of the samples
};

struct BandwidthSeries {
  std::string group;
  std::optional<GroupIndex> of; // group of the job; nothing for a table
  CollectiveOperation operation = CollectiveOperation::Unknown;
  std::optional<bool> between; // over several hosts
  std::string algorithm;       // if NCCL's log tells the same for all of its sizes
  std::int64_t ranks = -1, nodes = -1;
  std::vector<BandwidthSize> sizes; // ascending
  TransferCurve curve;              // of sizes with samples
  CurveFit contendedFit;            // of calls beside another communication kernel
  ExpectedLinks links;
};

struct JobBandwidth {
  std::vector<BandwidthSeries> series; // groups of the job, then tables
  std::string refused;                 // why there is none of the job
};

[[nodiscard]] JobBandwidth jobBandwidth(const Analysis& analysis, const JobNetwork& network,
                                        const FabricSettings& settings);

// Bus bandwidth that the links give for S bytes over P ranks on N nodes at best, times the share that is
// reached; by ring unless the algorithm is known. Empty without links or for other operations.
[[nodiscard]] std::optional<double> expectedBusbw(const ExpectedLinks& links, CollectiveOperation operation,
                                                  std::string_view algorithm, std::int64_t ranks,
                                                  std::int64_t nodes);

} // namespace rankscope
