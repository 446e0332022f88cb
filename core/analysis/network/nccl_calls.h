// SPDX-License-Identifier: GPL-3.0-or-later
// What calls and choices of NCCL's log mean: sizes as nccl-tests counts them, names of numbers, and the time
// that NCCL expects. Pure; O(1), the expected time O(cells of NCCL's table).
#pragma once

#include "core/model/nccl_log.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

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
