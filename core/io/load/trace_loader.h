// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a TraceSet from paths: finds the files, reads them in parallel with the reader of their format,
// builds each rank and places it in the job; or opens the job from the cache. Blocks; uses the caller's
// thread and up to threadCount - 1 others. The same input gives the same TraceSet for any number of threads,
// with and without the cache.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/cache/trace_cache.h"
#include "core/io/files/trace_folder.h"
#include "core/io/load/trace_readers.h"
#include "core/io/reader/load_filter.h"
#include "core/model/trace_set.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct LoadOptions {
  unsigned threadCount = 0;   // 0: one per core
  std::optional<int> capture; // load only this capture of every rank
  // Cache to read from. Storing a job is up to the caller (writeTraceCache).
  std::optional<TraceCacheSettings> cache = std::nullopt;
  LoadFilter filter = {};                // what to exclude
  const TraceReaders* readers = nullptr; // formats to read; null: all
  // Called on the caller's thread before any file is read, if the cache does not have the job. If it returns
  // false, the load ends as if it had been cancelled.
  std::function<bool(std::span<const DiscoveredFile>)> mayRead = {};
};

// Called on a worker while ranks arrive, at most ten times per second, with a growing set.
using RanksArrived = std::function<void(std::shared_ptr<const TraceSet>)>;

// An Error only if nothing could be read or the load was cancelled. A single unreadable file is reported as a
// FileRecord with a note.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> loadTraces(const std::vector<std::string>& paths,
                                                                 const LoadOptions& options,
                                                                 Progress& progress,
                                                                 const RanksArrived& ranksArrived = {});

} // namespace rankscope
