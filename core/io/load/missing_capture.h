// SPDX-License-Identifier: GPL-3.0-or-later
// Says which captures a job has where one was asked for that no rank has, or not every rank. Pure.
#pragma once

#include "core/base/result.h"
#include "core/model/trace_set.h"

#include <optional>
#include <set>
#include <span>
#include <string>

namespace rankscope {

// The error of a job without this capture; empty if some rank has it, or nothing could be read at all.
// files: all of the job, whichever capture was chosen. path: of the job.
[[nodiscard]] std::optional<Error> missingCapture(std::span<const FileRecord> files, int capture,
                                                  const std::string& path);

// Whether an error is that of missingCapture: wrong usage, not a damaged file.
[[nodiscard]] bool isMissingCapture(const Error& error);

// Names the ranks that lack a capture which others have; empty if none does. only: of these ranks.
[[nodiscard]] std::string ranksWithoutCapture(const TraceSet& job, int capture,
                                              const std::optional<std::set<int>>& only = std::nullopt);

} // namespace rankscope
