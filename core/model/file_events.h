// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that was read from one file, before it becomes a RankTrace. Plain data passed between the steps
// of TraceBuilder.
#pragma once

#include "core/model/rank_trace.h"
#include "core/model/slice_events.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct FileEvents {
  TraceMetadata metadata;
  std::vector<std::unique_ptr<ReaderTables>> tables;
  std::vector<SliceEvents> slices;               // in file order
  Diagnostics diagnostics;                       // about the whole file
  std::string (*placeText)(SourceRef) = nullptr; // formats a position in the file: "byte 17"
  // Drops device events that begin at this file time or later, unless a call in the slices launched them.
  std::optional<TimeNs> onlyLaunchedFrom;
};

// Maps the local names of each table to the names of the job: by table, then by local name.
using NameMaps = std::vector<std::vector<NameId>>;

} // namespace rankscope
