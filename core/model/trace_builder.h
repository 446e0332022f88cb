// SPDX-License-Identifier: GPL-3.0-or-later
// The only maker of a RankTrace: merges the slices of one file in their order, gives every event its track
// and row, links launches, and asserts that no two events of a row overlap. Tracks are laid out in parallel.
// The result does not depend on how the file was sliced, on who read which slice, or on the number of
// threads.
#pragma once

#include "core/model/clock_alignment.h"
#include "core/model/rank_trace.h"
#include "core/model/slice_events.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct FileEvents {
  TraceMetadata metadata;
  std::vector<std::unique_ptr<ReaderTables>> tables;
  std::vector<SliceEvents> slices;               // in the file's order
  Diagnostics diagnostics;                       // of the file as a whole
  std::string (*placeText)(SourceRef) = nullptr; // what a place of the file is called: "byte 17"
  // Device events that begin at this time of the file or later stay out unless one of the calls launched
  // them.
  std::optional<TimeNs> onlyLaunchedFrom;
};

// The names of all tables of a file, numbered anew in the job's interner; per table, then per local name.
using NameMaps = std::vector<std::vector<NameId>>;

// In order of first appearance in the file, so that ids do not depend on threads.
[[nodiscard]] NameMaps mergeNames(std::span<const std::unique_ptr<ReaderTables>> tables,
                                  StringInterner& names);

// Consumes the file's events. names resolves the ids of nameMaps.
[[nodiscard]] std::shared_ptr<const RankTrace> buildRankTrace(FileEvents file, const NameMaps& nameMaps,
                                                              const StringTable& names, unsigned threadCount);

// The same recording with all its times moved by shift, its base time too; and with all its times on the
// job's clock. Copies what holds times and shares the rest.
[[nodiscard]] std::shared_ptr<const RankTrace> movedInTime(const RankTrace& trace, TimeNs shift);
[[nodiscard]] std::shared_ptr<const RankTrace> timedBy(const RankTrace& trace,
                                                       const ClockCorrection& correction);

} // namespace rankscope
