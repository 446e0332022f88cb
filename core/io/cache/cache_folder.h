// SPDX-License-Identifier: GPL-3.0-or-later
// Manages the files of the trace cache: NAME.trace, whose modification time is the time of last use, and
// temporary files NAME.trace.*.part. Several processes may share the folder; files that disappear
// concurrently are not an error. Other files are never touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope {

[[nodiscard]] std::string cacheFilePath(const std::string& folder, const std::string& name);

// Creates the folder with access for its user only; false if that fails.
[[nodiscard]] bool makeCacheFolder(const std::string& folder);

// Why the folder cannot be used; empty if it can. Creates the folder.
[[nodiscard]] std::optional<std::string> cacheFolderProblem(const std::string& folder);

// Marks the file as used now.
void markUsed(const std::string& path);

// Removes abandoned temporary files, then the least recently used files, until `bytes` more fit into
// `maxBytes` and into a tenth of the free disk space. False if that is impossible. The file at `path` is
// about to be replaced, so it is neither counted nor removed.
[[nodiscard]] bool evictUntilFits(const std::string& folder, const std::string& path, std::uint64_t bytes,
                                  std::uint64_t maxBytes);

} // namespace rankscope
