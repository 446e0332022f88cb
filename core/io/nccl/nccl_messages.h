// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of NCCL 2.4 to 2.30 and RCCL as values: links, rings, trees, calls, choices, the tuning table.
// A message that is cut or damaged is no value. Pure functions; never throw but for memory.
#pragma once

#include "core/model/nccl_log.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// "Channel 00/0 : 0[2] -> 1[3] [send] via NET/IB/0/GDRDMA"
struct NcclLinkMessage {
  NcclLink link;         // without instance, process, kind and place
  std::string_view kind; // "NET/IB"
  std::string_view comm; // RCCL names the communicator
};
[[nodiscard]] std::optional<NcclLinkMessage> ncclLinkOf(std::string_view message);
// A link whose transport or second half is missing.
[[nodiscard]] bool isCutNcclLink(std::string_view message);

// "Channel 00/08 : 0 1 2 3"
[[nodiscard]] std::optional<NcclRingLine> ncclRingOf(std::string_view message);
// "Ring 00 : 3 -> 0 -> 1"
[[nodiscard]] std::optional<NcclRingStep> ncclRingStepOf(std::string_view message);
// "Trees [0] 1/-1/-1->0->-1 [1] ..." in all three forms. cut: NCCL ran out of its line buffer, so the last
// entry may be half of one.
[[nodiscard]] std::vector<NcclTreeNode> ncclTreesOf(std::string_view message, bool cut);
// "Tree 0 : -1 -> 0 -> 1/4/-1"
[[nodiscard]] std::optional<NcclTreeNode> ncclTreeOf(std::string_view message);

// "AllReduce: opCount 1a sendbuff 0x.. recvbuff 0x.. count 8 datatype 7 op 0 root 0 comm 0x.. [nranks=16] .."
struct NcclCallMessage {
  NcclCall call; // without instance and operation
  std::string_view operation;
  std::uint64_t comm = 0;
  std::int64_t ranks = -1;
};
[[nodiscard]] std::optional<NcclCallMessage> ncclCallOf(std::string_view message);

// "AllReduce: 4 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}" in all its forms.
[[nodiscard]] std::optional<NcclChoice> ncclChoiceOf(std::string_view message);

// The header of NCCL's tuning table, and its rows.
struct NcclTuningHeader {
  std::vector<std::pair<std::string, std::string>> columns; // algorithm and protocol
};
[[nodiscard]] std::optional<NcclTuningHeader> ncclTuningHeaderOf(std::string_view message);
[[nodiscard]] std::vector<NcclTuning> ncclTuningOf(std::string_view message, const NcclTuningHeader& header);

// "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ... ; OOB eth0:10.0.0.1<0>"
[[nodiscard]] std::vector<NcclDevice> ncclDevicesOf(std::string_view message);

// "NCCL 2.20.5+cuda12.4" of "NCCL version 2.20.5+cuda12.4" anywhere in a line, and of RCCL's version line;
// several if processes wrote into one line.
[[nodiscard]] std::vector<std::string> ncclVersionsOf(std::string_view line);

// What a warning means, as one word; empty for those that have none.
[[nodiscard]] std::string_view ncclCauseOf(std::string_view text);
// What PyTorch says about a failed collective; empty for other lines.
[[nodiscard]] std::string_view torchCauseOf(std::string_view line);
// Equal for warnings that differ in numbers and addresses only.
[[nodiscard]] std::string ncclWarningShape(std::string_view text);

} // namespace rankscope
