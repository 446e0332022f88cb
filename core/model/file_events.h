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

// Where the facts about a recording come from, if PyTorch's profiler did not record it. Used to place files.
struct RecordingOrigin {
  std::string recordedBy;               // "Nsight Systems 2026.2.1"; empty for PyTorch's profiler
  std::string rankFrom;                 // where metadata.rank was found: "environment", "nccl"
  std::optional<std::int64_t> nodeRank; // number of the node, from the launcher's environment
  std::int64_t systemClock = 0;         // monotonic clock of the host at metadata.baseTime; 0 if not recorded
  std::string session; // equal in all exports of one process of one report; empty if not known
};

struct FileEvents {
  TraceMetadata metadata;
  std::vector<std::unique_ptr<ReaderTables>> tables;
  std::vector<SliceEvents> slices; // in file order
  Diagnostics diagnostics;         // about the whole file
  RecordingOrigin origin;
  std::string (*placeText)(SourceRef) = nullptr; // formats a position in the file: "byte 17"
  // Drops device events that begin at this file time or later, unless a call in the slices launched them.
  std::optional<TimeNs> onlyLaunchedFrom;
};

// Maps the local names of each table to the names of the job: by table, then by local name.
using NameMaps = std::vector<std::vector<NameId>>;

} // namespace rankscope
