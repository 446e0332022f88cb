// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of links as lines of the logs have them: each line is one end, by the process that wrote it. Pure.
#pragma once

#include "core/analysis/network/job_network.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace rankscope {

// Place of its communicator in the topology; kNoNcclIndex: none is known. O(1).
[[nodiscard]] std::uint32_t communicatorOf(const NetTopology& topology, const NcclLink& line);

// A host of which some NICs have no end of a link, while one has at least twice the mean. Views refer to the
// network's logs.
struct IdleNics {
  std::string_view host;
  std::set<std::string_view> names; // of the idle ones
  std::size_t ends = 0;             // of links on this host
  std::size_t most = 0;             // of them at one NIC
};
// By host. Only hosts of which every log is there, and networks with RDMA. O(lines of links · log).
[[nodiscard]] std::vector<IdleNics> idleNics(const JobNetwork& network);

} // namespace rankscope
