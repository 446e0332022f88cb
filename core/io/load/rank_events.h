// SPDX-License-Identifier: GPL-3.0-or-later
// The events of single ranks of a digest, read from where it keeps them (kept_events.h), else from their
// traces where these can be reached. Pure functions of the files.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/trace_set.h"

#include <memory>
#include <optional>
#include <string>

namespace rankscope {

// The path of the trace of a rank where it was digested: absolute, or "host:/path".
[[nodiscard]] std::string digestedTrace(const TraceSet& job, RankIndex rank);

// The file with the events of a rank for this machine, kept or the trace; empty if neither can be reached. A
// trace of another host is taken if the same path leads to a file of the same size.
[[nodiscard]] std::optional<std::string> reachableEvents(const TraceSet& job, RankIndex rank);

// The job with the events of this rank, on the times that its digest has; the other ranks stay as they are.
// path: as reachableEvents gives it. An Error says if the file is another one.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> withRankEvents(const TraceSet& job, RankIndex rank,
                                                                     const std::string& path,
                                                                     unsigned threadCount,
                                                                     Progress& progress);

} // namespace rankscope
