// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the files of one process of a digest, several at once. A file that cannot be read, or not in time,
// has an error and stops no other.
#pragma once

#include "core/base/result.h"
#include "core/io/load/file_loader.h"
#include "core/model/string_table.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct LoadedFiles {
  StringTable names;
  std::vector<Result<LoadedFile>> files; // as asked
  bool incomplete = false;               // some were not read for lack of time
  std::size_t known = 0;                 // whose events had been kept by an earlier run
  std::vector<Error> notKept;            // whose events could not be kept
};

// until: when reading has to end. Files are begun in the given order. kept: by file, where its events are
// kept (core/io/load/kept_events.h) and taken from if they are there already; empty: they are not kept.
[[nodiscard]] LoadedFiles loadFiles(const std::vector<std::string>& paths, unsigned threadCount,
                                    std::optional<std::chrono::steady_clock::time_point> until,
                                    const std::vector<std::string>& kept = {});

} // namespace rankscope
