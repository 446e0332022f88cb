// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of what NCCL's logs say: communicators, links, rings, trees, calls, choices, warnings, files. Ranks
// are those of the communicator. O(rows).
#pragma once

#include "core/analysis/network/job_network.h"
#include "core/export/result_table.h"

namespace rankscope {

[[nodiscard]] ResultTable communicatorsTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclLinksTable(const JobNetwork& network);
// Of one communicator: a place in the topology.
[[nodiscard]] ResultTable linksOfCommunicator(const JobNetwork& network, std::size_t communicator);
[[nodiscard]] ResultTable ncclRingsTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclTreesTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclCallsTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclChoicesTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclWarningsTable(const JobNetwork& network);
[[nodiscard]] ResultTable ncclFilesTable(const JobNetwork& network);

} // namespace rankscope
