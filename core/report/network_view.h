// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the Network tab that are no tables of the command line: communicators with their links, sizes
// with what NCCL chose and expected, NICs with their links, settings, and what is wrong. Pure.
#pragma once

#include "core/analysis/network/bandwidth.h"
#include "core/analysis/network/job_network.h"
#include "core/analysis/network/net_problems.h"
#include "core/export/result_table.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

// In the order of the topology.
[[nodiscard]] ResultTable communicatorsView(const JobNetwork& network);

// A row for each size with samples; then what NCCL chose for other sizes.
struct AlgorithmsView {
  ResultTable table;
  std::vector<std::pair<std::size_t, std::size_t>> sizes; // of the first rows: places of series and size
};
[[nodiscard]] AlgorithmsView algorithmsView(const JobNetwork& network, const JobBandwidth& bandwidth);

[[nodiscard]] ResultTable nicsView(const JobNetwork& network);
// Settings that differ between processes first.
[[nodiscard]] ResultTable settingsView(const JobNetwork& network);
[[nodiscard]] ResultTable problemsView(std::span<const NetProblem> problems);

} // namespace rankscope
