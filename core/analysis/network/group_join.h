// SPDX-License-Identifier: GPL-3.0-or-later
// Which process groups of the job the communicators of NCCL's log are: those of the same global ranks. A log
// knows the ranks of its processes by host and process id, or by the launcher's task number; a communicator
// of all ranks needs neither. What does not fit one way only stays unknown. Logs have no clock: calls are
// matched with recorded collectives where the order of operations and sizes occurs once. Pure;
// O(calls of the log + recorded collectives).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/network/communicators.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope {

// How global ranks of the members were found.
enum class RanksFrom : std::uint8_t { Unknown, Process, Launcher, WholeJob };
[[nodiscard]] std::string_view ranksFromText(RanksFrom from); // "process"; empty if unknown

struct JoinedCommunicator {
  std::vector<int> ranks;         // global rank of each member; -1: unknown
  std::vector<GroupIndex> groups; // of equal members, one per name and capture
  std::string name;               // of these groups; empty without
  RanksFrom from = RanksFrom::Unknown;
};

struct GroupJoin {
  std::vector<JoinedCommunicator> communicators; // as in NetTopology
  // By place in NcclLog::calls; of matched calls only.
  std::unordered_map<std::size_t, InstanceIndex> instanceOfCall;

  [[nodiscard]] bool empty() const { return communicators.empty(); }
};

[[nodiscard]] GroupJoin joinGroups(const Analysis& analysis, const NcclLog& log, const NetTopology& topology);

} // namespace rankscope
