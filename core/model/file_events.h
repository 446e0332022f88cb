// SPDX-License-Identifier: GPL-3.0-or-later
// All that the readers of one file found, before it is a rank's recording: what the steps of building one
// exchange. Plain data.
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
  std::vector<SliceEvents> slices;               // in the file's order
  Diagnostics diagnostics;                       // of the file as a whole
  std::string (*placeText)(SourceRef) = nullptr; // what a place of the file is called: "byte 17"
  // Device events that begin at this time of the file or later stay out unless one of the calls launched
  // them.
  std::optional<TimeNs> onlyLaunchedFrom;
};

// The names of all tables of a file, numbered again in the job's interner; per table, then per local name.
using NameMaps = std::vector<std::vector<NameId>>;

} // namespace rankscope
