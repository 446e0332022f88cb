// SPDX-License-Identifier: GPL-3.0-or-later
// The options by which both programs leave a part of a recording unread.
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

// What is wrong with the options as written; empty when nothing is.
[[nodiscard]] std::string filterError(const FilterOptions& options);

// REQUIRES: filterError(options).empty().
[[nodiscard]] LoadFilter filterFrom(const FilterOptions& options);

// For files that need more memory than there is: what they need, what each option would leave of that, in one
// line. Empty when there is enough or it is unknown.
[[nodiscard]] std::string memoryWarning(std::span<const DiscoveredFile> files, const LoadFilter& filter,
                                        unsigned threadCount);

} // namespace rankscope
