// SPDX-License-Identifier: GPL-3.0-or-later
// Load filter options of both programs: exclude a part of a recording.
#pragma once

#include "core/io/files/trace_folder.h"
#include "core/io/reader/load_filter.h"

#include <CLI/CLI.hpp>

#include <span>
#include <string>

namespace rankscope {

struct FilterOptions {
  bool skipPython = false;
  bool skipCpuOps = false;
  std::string steps; // "A..B"
};

void addFilterOptions(CLI::App& command, FilterOptions& options);

// Error of the options as given; empty if valid.
[[nodiscard]] std::string filterError(const FilterOptions& options);

// REQUIRES: filterError(options).empty().
[[nodiscard]] LoadFilter filterFrom(const FilterOptions& options);

// If the files need more memory than available: one line with the need, and with the need for each option.
// Empty if there is enough memory or that is unknown.
[[nodiscard]] std::string memoryWarning(std::span<const DiscoveredFile> files, const LoadFilter& filter,
                                        unsigned threadCount);

} // namespace rankscope
