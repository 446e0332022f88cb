// SPDX-License-Identifier: GPL-3.0-or-later
// All that is known of the network of a job: what its NCCL logs and nccl-tests tables say, and what follows
// from it together with the traces. Immutable.
#pragma once

#include "core/analysis/network/communicators.h"
#include "core/analysis/network/group_join.h"
#include "core/analysis/network/nccl_calls.h"
#include "core/model/nccl_records.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace rankscope {

struct JobNetwork {
  std::shared_ptr<const NcclRecords> records; // never null
  NetTopology topology;
  GroupJoin join; // empty without traces

  [[nodiscard]] const NcclLog& log() const { return records->log; }
};

// records: null without logs.
[[nodiscard]] JobNetwork jobNetwork(std::shared_ptr<const NcclRecords> records);
// The same, joined with the groups of the job.
[[nodiscard]] JobNetwork jobNetwork(std::shared_ptr<const NcclRecords> records, const Analysis& analysis);

// Algorithms that NCCL chose for an operation of S bytes, by the log: over communicators of these groups, or
// over those that the file at this path speaks of. Names as NCCL prints them: "RING".
using SizeOfOperation = std::pair<CollectiveOperation, std::int64_t>;
using AlgorithmsBySize = std::map<SizeOfOperation, std::set<std::string>>;
[[nodiscard]] AlgorithmsBySize algorithmsOf(const JobNetwork& network, GroupIndex group);
[[nodiscard]] AlgorithmsBySize algorithmsIn(const JobNetwork& network, std::string_view path);

} // namespace rankscope
