// SPDX-License-Identifier: GPL-3.0-or-later
// Stores loaded jobs in the user's cache folder, each as one file to be mapped. So opening a job again takes
// milliseconds and does not read its traces. A cached file is used only if the sources are unchanged
// (JobIdentity), it was written by the same readers, and all checksums match; otherwise it is ignored and
// replaced. Several processes may share the folder. Cache errors never fail a load.
#pragma once

#include "core/base/progress.h"
#include "core/io/cache/job_identity.h"
#include "core/io/cache/trace_image.h"
#include "core/model/trace_set.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rankscope {

// Hash of the source code that determines the result of a load.
extern const std::uint64_t kReaderFingerprint;

// Identifies programs that may read an image: same readers and same memory layout of records.
[[nodiscard]] std::uint64_t traceImageFingerprint();

struct TraceCacheSettings {
  std::string folder;
  // Limit of all files together; the least recently used are removed first. Also limited to a tenth of the
  // free disk space.
  std::uint64_t maxBytes = std::uint64_t{20} << 30;
  // Minimum JSON text of a cached job. Smaller jobs load fast without a cache.
  std::uint64_t minTextBytes = std::uint64_t{16} << 20;
};

// Folder from RANKSCOPE_CACHE_DIR, else below XDG_CACHE_HOME, else below ~/.cache. Empty if none is set or
// RANKSCOPE_CACHE_DIR is empty.
[[nodiscard]] std::optional<TraceCacheSettings> userTraceCache();

// Opens a cached job; null if it is missing or invalid.
[[nodiscard]] std::shared_ptr<const TraceSet> openCachedTraces(const TraceCacheSettings& settings,
                                                               std::shared_ptr<const JobIdentity> identity,
                                                               unsigned threadCount, Progress& progress,
                                                               const DetailsOf& detailsOf = {});

// Stores a job read from files, and evicts others if needed. Does nothing for jobs that came from the cache
// or whose files have changed. Returns whether the job is cached. Takes about 0.5 s per GB of cache data;
// `cancel` may be set by another thread.
bool writeTraceCache(const TraceSet& traces, const TraceCacheSettings& settings,
                     const std::atomic<bool>& cancel = false);

} // namespace rankscope
