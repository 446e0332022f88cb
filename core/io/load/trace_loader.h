// SPDX-License-Identifier: GPL-3.0-or-later
// From paths to a TraceSet: finds the files, has each read by the reader of its format, in parallel, builds
// each rank and places it in its job; or opens what an earlier reading left in the cache.
// Blocks until done; runs on the caller's thread and threadCount - 1 others. Same input, same TraceSet,
// whatever the number of threads, with and without the cache.
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
  unsigned threadCount = 0;   // 0: as many as the machine has
  std::optional<int> capture; // only this profiling cycle of every rank
  // Where jobs that were read are kept. It is only looked at: whoever loads calls writeTraceCache afterwards.
  std::optional<TraceCacheSettings> cache = std::nullopt;
  LoadFilter filter = {};                // what of the files is left out
  const TraceReaders* readers = nullptr; // the formats to know; null: all that there are
  // Asked on the caller's thread once the files are known and the cache had no answer, before any is read;
  // false gives the load up, as if it had been cancelled.
  std::function<bool(std::span<const DiscoveredFile>)> mayRead = {};
};

// Called on a worker while ranks arrive, at most ten times a second, with a set that grows each time.
using RanksArrived = std::function<void(std::shared_ptr<const TraceSet>)>;

// An Error only when nothing could be read at all or the load was cancelled; a file that could not be read is
// a FileRecord with a note, and the others open.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> loadTraces(const std::vector<std::string>& paths,
                                                                 const LoadOptions& options,
                                                                 Progress& progress,
                                                                 const RanksArrived& ranksArrived = {});

} // namespace rankscope
