// SPDX-License-Identifier: GPL-3.0-or-later
// The files of the trace cache: NAME.trace, last used when it was last modified, and temporary files
// NAME.trace.*.part. Several processes may work in the folder: files that disappear concurrently are no
// error, and nothing but these files is ever touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope {

[[nodiscard]] std::string cacheFilePath(const std::string& folder, const std::string& name);

// Makes the folder, for its user only; false when it is not there then.
[[nodiscard]] bool makeCacheFolder(const std::string& folder);

// Why nothing can be kept there; nothing when it can. Makes the folder.
[[nodiscard]] std::optional<std::string> cacheFolderProblem(const std::string& folder);

// Marks the file as used now.
void markUsed(const std::string& path);

// Removes abandoned temporary files, and the files that were not used for longest, until `bytes`
// more fit into `maxBytes` and into a tenth of the disk's free space. False when that cannot be. The file at
// `path` is about to be replaced: it neither counts nor goes.
[[nodiscard]] bool evictUntilFits(const std::string& folder, const std::string& path, std::uint64_t bytes,
                                  std::uint64_t maxBytes);

} // namespace rankscope
