// SPDX-License-Identifier: GPL-3.0-or-later
// A large job that was just read, in its cache file instead of in memory.
#pragma once

#include "core/base/progress.h"
#include "core/io/cache/trace_cache.h"

#include <cstdint>
#include <memory>

namespace rankscope {

// Jobs whose events take so much are worth it: writing the file takes a second.
inline constexpr std::uint64_t kMappedJobBytes = std::uint64_t{1} << 30;

// Stores the job in the cache and opens it there: the same job, whose events the system may take out of
// memory. The job itself where it is smaller, lies there already, or cannot be stored.
[[nodiscard]] std::shared_ptr<const TraceSet> inCacheFile(std::shared_ptr<const TraceSet> job,
                                                          const TraceCacheSettings& cache,
                                                          unsigned threadCount, Progress& progress,
                                                          std::uint64_t minBytes = kMappedJobBytes);

} // namespace rankscope
