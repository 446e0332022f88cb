// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/trace_cache.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/io/cache/cache_folder.h"
#include "core/io/cache/checked_file.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <xxhash.h>

namespace rankscope {

std::uint64_t traceImageFingerprint() {
  const std::array<std::uint64_t, 8> parts{kReaderFingerprint,
                                           static_cast<std::uint64_t>(std::endian::native),
                                           sizeof(void*),
                                           sizeof(DeviceDetail),
                                           sizeof(CollectiveDetail),
                                           sizeof(MemoryEvent),
                                           sizeof(EventFlow),
                                           alignof(DeviceDetail)};
  return XXH3_64bits(parts.data(), sizeof parts);
}

namespace {

void removeQuietly(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

// Verifies the file and advances Progress in proportion, in bytes of the sources.
bool verified(const CheckedFile& file, std::uint64_t sourceBytes, unsigned threadCount, Progress& progress) {
  std::atomic<std::uint64_t> seen{0};
  return file.verify(threadCount, [&](std::uint64_t bytes) {
    const double share =
        static_cast<double>(seen.fetch_add(bytes) + bytes) / static_cast<double>(file.size());
    progress.bytesDone = static_cast<std::uint64_t>(share * static_cast<double>(sourceBytes));
    return !progress.cancelled();
  });
}

} // namespace

std::optional<TraceCacheSettings> userTraceCache() {
  TraceCacheSettings settings;
  if (const char* const own = std::getenv("RANKSCOPE_CACHE_DIR")) {
    settings.folder = own;
  } else if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    settings.folder = std::string(cache) + "/rankscope";
  } else if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/') {
    settings.folder = std::string(home) + "/.cache/rankscope";
  }
  if (settings.folder.empty()) return std::nullopt;
  return settings;
}

std::shared_ptr<const TraceSet> openCachedTraces(const TraceCacheSettings& settings,
                                                 std::shared_ptr<const JobIdentity> identity,
                                                 unsigned threadCount, Progress& progress,
                                                 const DetailsOf& detailsOf) {
  const std::string path = cacheFilePath(settings.folder, identityName(*identity));
  try {
    CheckedFile file;
    const CheckedFileState state = CheckedFile::open(path, traceImageFingerprint(), file);
    if (state == CheckedFileState::Damaged) removeQuietly(path);
    if (state != CheckedFileState::Whole || file.identity() != identityBytes(*identity)) return nullptr;
    progress.stage = LoadStage::OpeningCache;
    std::shared_ptr<const TraceSet> traces;
    const std::uint64_t sourceBytes = identity->sourceBytes();
    if (verified(file, sourceBytes, threadCount, progress))
      traces = readTraceImage(file, {std::move(identity), true}, threadCount, detailsOf);
    if (traces != nullptr) {
      markUsed(path);
      progress.bytesDone = sourceBytes;
      return traces;
    }
    if (!progress.cancelled()) removeQuietly(path);
  } catch (...) {
    // Not enough memory: the job is read from its sources instead, or reported as too large.
  }
  progress.bytesDone = 0;
  return nullptr;
}

namespace {

bool written(const TraceSet& traces, const TraceCacheSettings& settings, const std::atomic<bool>& cancel) {
  const std::shared_ptr<const JobIdentity>& identity = traces.origin().identity;
  if (identity == nullptr || traces.origin().cached || traces.textBytes() < settings.minTextBytes ||
      settings.folder.empty() || !isUnchanged(*identity, defaultThreadCount()))
    return false;
  const std::string path = cacheFilePath(settings.folder, identityName(*identity));
  if (!makeCacheFolder(settings.folder) ||
      !evictUntilFits(settings.folder, path, traceImageBytes(traces), settings.maxBytes))
    return false;
  CheckedFileWriter file(path, identityBytes(*identity));
  const std::string directory = writeTraceImage(traces, file, cancel);
  // If the files changed while writing, they may have changed during the load as well.
  return !cancel && isUnchanged(*identity, defaultThreadCount()) &&
         file.finish(directory, traceImageFingerprint());
}

} // namespace

bool writeTraceCache(const TraceSet& traces, const TraceCacheSettings& settings,
                     const std::atomic<bool>& cancel) {
  const Result<bool> done = attempt([&] { return written(traces, settings, cancel); });
  return done && *done;
}

} // namespace rankscope
