// SPDX-License-Identifier: GPL-3.0-or-later
// The events of ranks of a digest, read from where it keeps them (kept_events.h), else from their traces
// where these can be reached. Pure functions of the files.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/trace_set.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

// The path of the trace of a rank where it was digested: absolute, or "host:/path".
[[nodiscard]] std::string digestedTrace(const TraceSet& job, RankIndex rank);

// The trace of a rank for this machine; empty if it cannot be reached. One of another host is taken if the
// same path leads to a file of the same size.
[[nodiscard]] std::optional<std::string> reachableTrace(const TraceSet& job, RankIndex rank);

// The file with the events of a rank for this machine, kept or the trace; empty if neither can be reached.
[[nodiscard]] std::optional<std::string> reachableEvents(const TraceSet& job, RankIndex rank);

// Whether arguments of the events of a rank can be read: kept events have none, they are in the trace.
[[nodiscard]] bool hasArguments(const TraceSet& job, RankIndex rank);

// A rank whose events are wanted. path: as reachableEvents gives it.
struct RankToRead {
  RankIndex rank;
  std::string path;
};

// The job with the events of these ranks, on the times that their digests have; the other ranks stay as they
// are. A file with several ranks is read once. An Error says which file is damaged, or another one than was
// digested.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> withRankEvents(const TraceSet& job,
                                                                     std::span<const RankToRead> ranks,
                                                                     unsigned threadCount,
                                                                     Progress& progress);

} // namespace rankscope
