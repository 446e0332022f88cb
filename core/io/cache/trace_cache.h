// SPDX-License-Identifier: GPL-3.0-or-later
// What a job was read into, kept in one mapped file of the user's cache folder, so that opening it again
// takes milliseconds and does not read its traces. A file there is used only when the sources are as they
// were (JobIdentity), the same readers made it, and every byte fits its checksum; else it counts for nothing
// and the next reading takes its place. Any number of processes may share a folder. Nothing here ever fails a
// load: what cannot be kept is read again.
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

// Of the sources that decide what a trace is read into.
extern const std::uint64_t kReaderFingerprint;

struct TraceCacheSettings {
  std::string folder;
  // All files together; those that were not used for longest go first. Never more than a tenth of what the
  // disk has free besides them.
  std::uint64_t maxBytes = std::uint64_t{20} << 30;
  // Of JSON text. Smaller jobs are read in no time and not kept.
  std::uint64_t minTextBytes = std::uint64_t{16} << 20;
};

// Of RANKSCOPE_CACHE_DIR, else below XDG_CACHE_HOME, else below ~/.cache. Nothing when there is none of them,
// or the first is empty.
[[nodiscard]] std::optional<TraceCacheSettings> userTraceCache();

// The job as it was read earlier; null when it is not there or not to be trusted.
[[nodiscard]] std::shared_ptr<const TraceSet> openCachedTraces(const TraceCacheSettings& settings,
                                                               std::shared_ptr<const JobIdentity> identity,
                                                               unsigned threadCount, Progress& progress,
                                                               const DetailsOf& detailsOf = {});

// Stores a job that was read from files, evicting others; does nothing for one that came from here, and
// nothing when the files changed meanwhile. True when it is kept now. Takes about half a second a GB of the
// cache; `cancel` may be set from another thread.
bool writeTraceCache(const TraceSet& traces, const TraceCacheSettings& settings,
                     const std::atomic<bool>& cancel = false);

} // namespace rankscope
