// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a job as loadTraces does; and where there are no traces, the files that usually lie beside them
// alone: memory snapshots, memory timelines, Flight Recorder dumps, or logs and tables of NCCL, which are
// read later, when they are first needed. Such a job has no ranks. A digest is opened as the job it was made
// of. Blocks.
#pragma once

#include "core/io/load/trace_loader.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope {

[[nodiscard]] Result<std::shared_ptr<const TraceSet>> loadJob(const std::vector<std::string>& paths,
                                                              const LoadOptions& options, Progress& progress,
                                                              const RanksArrived& ranksArrived = {});

// The files that the paths refer to, archives unpacked and remotes fetched; nothing is read. An Error if a
// remote cannot be fetched, or on cancel.
[[nodiscard]] Result<Discovery> foundFiles(const std::vector<std::string>& paths, const LoadOptions& options,
                                           Progress& progress);

} // namespace rankscope
