// SPDX-License-Identifier: GPL-3.0-or-later
// Which processes of a report are ranks, and what the report says about their numbers. A report may hold all
// ranks of a node: the environment and the report's name are then those of the launcher. Pure functions.
#pragma once

#include "core/io/nsys/nsys_export.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What a process did, summed over all tables.
struct ProcessActivity {
  std::int64_t process = 0;
  std::uint64_t deviceEvents = 0;
  std::uint64_t ranges = 0; // of NVTX
  std::uint64_t calls = 0;  // of CUDA
  std::uint64_t others = 0;
  std::int64_t firstDevice = -1;
};

// The processes that are ranks, by device and pid: those with work on a device; without any, those with
// ranges; without these, the one with most events. Empty if nothing happened.
[[nodiscard]] std::vector<std::int64_t> rankProcesses(std::span<const ProcessActivity> all);

struct RankEvidence {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> worldSize;
  std::optional<std::int64_t> nodeRank; // also of a report with several ranks
  std::string from;                     // "environment"; empty without a rank
};

// threadNames: names that the program gave to the threads of the process. only: no other rank in the report.
[[nodiscard]] RankEvidence rankEvidence(const NsysExport& facts, std::int64_t process,
                                        std::span<const std::string> threadNames, bool only);

} // namespace rankscope
