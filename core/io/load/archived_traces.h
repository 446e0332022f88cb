// SPDX-License-Identifier: GPL-3.0-or-later
// Opens archives as the folders that were packed: unpacks those that a search found, and searches what was in
// them. Blocks on the disk. Costs what unpacking costs; nothing where the archive was unpacked before and has
// not changed.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/archive/archive_folders.h"
#include "core/io/cache/trace_cache.h"
#include "core/io/load/trace_readers.h"

#include <optional>
#include <span>
#include <string>

namespace rankscope {

// Where the archives of a load are unpacked: beside its cache, or for a while if there is none.
[[nodiscard]] ArchiveFolderSettings archiveFolderSettings(const std::optional<TraceCacheSettings>& cache);

// Trace files that the paths refer to, also those in archives, which lie where the archives were unpacked. An
// archive that cannot be opened, or not whole, is a problem of the Discovery. An Error only on cancel.
[[nodiscard]] Result<Discovery> discoverWithArchives(std::span<const std::string> paths,
                                                     const ArchiveFolderSettings& settings,
                                                     Progress& progress,
                                                     const TraceReaders& readers = traceReaders());

struct UnpackedTrace {
  DiscoveredFile file;
  std::string problem; // why it is not whole; empty if it is
};

// A compressed trace ("rank3.json.zst") unpacked. An Error if nothing of it can be read, or on cancel: that
// of the Progress or the other one, which may be null.
[[nodiscard]] Result<UnpackedTrace> unpackedTrace(const DiscoveredFile& file,
                                                  const ArchiveFolderSettings& settings, Progress& progress,
                                                  const std::atomic<bool>* cancel = nullptr);

// The same for files that were found before, below these paths.
[[nodiscard]] Result<Discovery> withArchivesUnpacked(Discovery found, std::span<const std::string> paths,
                                                     const ArchiveFolderSettings& settings,
                                                     Progress& progress,
                                                     const TraceReaders& readers = traceReaders());

} // namespace rankscope
