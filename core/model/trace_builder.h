// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a RankTrace: merges the slices of a file in order, assigns tracks and rows, links launches, and
// asserts that events of a row do not overlap. Tracks are processed in parallel. The result does not depend
// on how the file was sliced, on which reader read which slice, or on the number of threads.
#pragma once

#include "core/model/file_events.h"

#include <cstdint>
#include <memory>
#include <span>

namespace rankscope {

// Interns names in order of first appearance in the file, so that ids do not depend on threads.
[[nodiscard]] NameMaps mergeNames(std::span<const std::unique_ptr<ReaderTables>> tables,
                                  StringInterner& names);

// Largest number of events that EventIndex can address.
inline constexpr std::uint64_t kMostEvents = EventIndex::kNone - 1;
// Upper bound of the number of events of the recording.
[[nodiscard]] std::uint64_t eventCount(const FileEvents& file);

// Consumes the file's events. `names` resolves the ids of nameMaps. REQUIRES: at most kMostEvents.
[[nodiscard]] std::shared_ptr<const RankTrace> buildRankTrace(FileEvents file, const NameMaps& nameMaps,
                                                              const StringTable& names, unsigned threadCount);

} // namespace rankscope
