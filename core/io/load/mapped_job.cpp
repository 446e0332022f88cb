// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/mapped_job.h"

#include "core/io/load/file_loader.h"
#include "core/io/load/trace_readers.h"

#include <malloc.h>
#include <utility>

namespace rankscope {

std::shared_ptr<const TraceSet> inCacheFile(std::shared_ptr<const TraceSet> job,
                                            const TraceCacheSettings& cache, unsigned threadCount,
                                            Progress& progress, std::uint64_t minBytes) {
  if (job->origin().cached || traceImageBytes(*job) < minBytes || !writeTraceCache(*job, cache)) return job;
  const auto details = [](const FileRecord& file) { return detailsOf(file, traceReaders()); };
  const auto inFile = openCachedTraces(cache, job->origin().identity, threadCount, progress, details);
  progress.stage = LoadStage::Done;
  if (inFile == nullptr) return job;
  job = std::make_shared<const TraceSet>(job->jobName(), inFile->names(), inFile->ranks(), job->files(),
                                         inFile->origin(), job->sharedSide());
  malloc_trim(0); // much of what was read lay in small pieces, which the library keeps
  return job;
}

} // namespace rankscope
