// SPDX-License-Identifier: GPL-3.0-or-later
// All that is known of the network of a job: what its NCCL logs and nccl-tests tables say, and what follows
// from it together with the traces. Immutable.
#pragma once

#include "core/analysis/network/communicators.h"
#include "core/model/nccl_records.h"

#include <memory>

namespace rankscope {

struct JobNetwork {
  std::shared_ptr<const NcclRecords> records; // never null
  NetTopology topology;

  [[nodiscard]] const NcclLog& log() const { return records->log; }
};

// records: null without logs.
[[nodiscard]] JobNetwork jobNetwork(std::shared_ptr<const NcclRecords> records);

// S of a call: bytes over all ranks for AllGather and ReduceScatter. Empty for unknown types.
[[nodiscard]] std::optional<std::int64_t> bytesOfNcclCall(const NcclLog& log, const NcclCall& call);
// "float", "bfloat16"; empty for unknown numbers.
[[nodiscard]] std::string_view ncclTypeText(std::uint8_t dtype);
// "sum"; "user" for reductions that the program made.
[[nodiscard]] std::string_view ncclReductionText(std::uint8_t reduction);
// S of a choice, which NCCL prints for one rank of AllGather and ReduceScatter.
[[nodiscard]] std::int64_t bytesOfNcclChoice(const NcclLog& log, const NcclChoice& choice);
// Time that NCCL expects: printed with the choice, or from its table. Empty if neither is in the log.
[[nodiscard]] std::optional<double> predictedOfNcclChoice(const NcclLog& log, const NcclChoice& choice);

} // namespace rankscope
