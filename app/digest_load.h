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
};

// until: when reading has to end. Files are begun in the given order.
[[nodiscard]] LoadedFiles loadFiles(const std::vector<std::string>& paths, unsigned threadCount,
                                    std::optional<std::chrono::steady_clock::time_point> until);

} // namespace rankscope
