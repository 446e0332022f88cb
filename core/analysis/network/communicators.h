// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators of NCCL over all processes, from what each process logged: who takes part, over which links,
// in which rings and trees. What no log says stays unknown; what was guessed says so. Pure; O(facts of the
// log), and O(instances · communicators of equal size) before NCCL 2.16, whose logs do not name
// communicators.
#pragma once

#include "core/model/nccl_log.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// How the members of a communicator were found.
enum class MembersBy : std::uint8_t {
  CommId,    // they name the same id
  Split,     // made by the same ncclCommSplit
  Neighbors, // one way only to put together ranks whose links agree
  Guess,     // several ways; the order of lines decides
};

[[nodiscard]] std::string_view membersByText(MembersBy by); // "comm_id"

// A link, from the lines of both its ends.
struct NetLink {
  std::int32_t channel = 0;
  std::int32_t connection = -1;
  std::int32_t from = 0, to = 0; // ranks of the communicator
  std::uint32_t kind = 0;        // into NcclLog::kinds
  std::int32_t nic = -1;         // of the sender if known, else of the receiver
  std::int32_t receiverNic = -1;
  std::int32_t viaRank = -1; // PXN
  bool gdr = false;          // both ends that are known use GPUDirect RDMA
  bool shared = false;
  std::int64_t seenBy = 0; // log files
  NcclPlace at;
};

struct NetRing {
  std::int32_t channel = 0;
  std::vector<std::int32_t> ranks; // in order; the known part if it is not closed
  bool closed = false;             // each rank of the communicator once
};

struct NetTree {
  std::int32_t channel = 0;
  std::vector<NcclTreeNode> nodes; // by rank; known ones only
};

struct NetCommunicator {
  std::int64_t number = 0; // 1, 2, ... in order of the first line about them
  std::string commId;
  std::int64_t ranks = 0;
  std::vector<std::uint32_t> members; // instance by rank; kNoNcclIndex if its log is missing
  std::int64_t membersKnown = 0;
  std::optional<std::int64_t> nodes, localRanks;
  std::string version; // several are separated by a comma
  std::optional<std::int64_t> collChannels, p2pChannels, nvlsChannels;
  MembersBy by = MembersBy::CommId;
  std::optional<double> initSeconds; // of the slowest rank
  std::int64_t initRank = -1;
  std::string initLargest;
  bool completed = false; // by all known members
  std::int64_t warnings = 0;
  std::vector<NetLink> links; // by channel, sender, receiver
  std::vector<NetRing> rings; // by channel
  std::vector<NetTree> trees; // by channel
};

struct NetTopology {
  std::vector<NetCommunicator> communicators;
  std::vector<std::uint32_t> communicatorOf; // by instance: place in communicators; kNoNcclIndex: none
  std::vector<NetLink> unassigned;           // links of no known communicator
};

// Without rings and trees, which topologyOf of rings.h adds.
[[nodiscard]] NetTopology communicatorsOf(const NcclLog& log);

// Host of a member; empty if unknown.
[[nodiscard]] std::string_view hostOf(const NcclLog& log, const NetCommunicator& communicator,
                                      std::int64_t rank);

} // namespace rankscope
