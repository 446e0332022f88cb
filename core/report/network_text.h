// SPDX-License-Identifier: GPL-3.0-or-later
// What the logs of NCCL say, for a terminal: communicators, environment, warnings, what was not understood.
#pragma once

#include "core/analysis/network/job_network.h"
#include "core/analysis/network/net_problems.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

// problems: what is wrong, with evidence and fix.
[[nodiscard]] std::string networkText(const JobNetwork& network, std::span<const NetProblem> problems = {});

// "56 P2P/CUMEM, 24 NET/Socket": links of a communicator, most first.
[[nodiscard]] std::string linkCountsText(const NcclLog& log, const NetCommunicator& communicator);
// "2 x 4": nodes and ranks of each; empty if unknown.
[[nodiscard]] std::string nodesText(const NetCommunicator& communicator);

} // namespace rankscope
