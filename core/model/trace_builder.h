// SPDX-License-Identifier: GPL-3.0-or-later
// The only maker of a RankTrace: merges the slices of one file in their order, gives every event its track
// and row, links launches, and asserts that no two events of a row overlap. Tracks are laid out in parallel.
// The result does not depend on how the file was sliced, on who read which slice, or on the number of
// threads.
#pragma once

#include "core/model/file_events.h"

#include <cstdint>
#include <memory>
#include <span>

namespace rankscope {

// In order of first appearance in the file, so that ids do not depend on threads.
[[nodiscard]] NameMaps mergeNames(std::span<const std::unique_ptr<ReaderTables>> tables,
                                  StringInterner& names);

// More cannot be numbered.
inline constexpr std::uint64_t kMostEvents = EventIndex::kNone - 1;
// How many events the recording will have at most.
[[nodiscard]] std::uint64_t eventCount(const FileEvents& file);

// Consumes the file's events. names resolves the ids of nameMaps. REQUIRES: at most kMostEvents.
[[nodiscard]] std::shared_ptr<const RankTrace> buildRankTrace(FileEvents file, const NameMaps& nameMaps,
                                                              const StringTable& names, unsigned threadCount);

} // namespace rankscope
