// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of files before they are read: by their first bytes, names and folders, placed as a job whose files
// were read. So a job can be opened with some of its ranks. Costs a few milliseconds per file.
#pragma once

#include "core/io/files/trace_folder.h"
#include "core/io/load/trace_readers.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

namespace rankscope {

// By file; empty where only its contents, or its place among the others, would say. A job of several folders
// may have a rank more than once.
[[nodiscard]] std::vector<std::optional<int>>
ranksBeforeReading(std::span<const DiscoveredFile> files, unsigned threadCount,
                   const TraceReaders& readers = traceReaders());

// The files of these ranks (ascending), which then know their rank. leftOut: gets the other ranks.
[[nodiscard]] std::vector<DiscoveredFile> filesOfRanks(std::span<const DiscoveredFile> files,
                                                       std::span<const int> ranks, unsigned threadCount,
                                                       const TraceReaders& readers, std::set<int>& leftOut);

} // namespace rankscope
