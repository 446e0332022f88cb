// SPDX-License-Identifier: GPL-3.0-or-later
// Folders into which archives are unpacked: below the cache folder, where an archive that has not changed is
// found again, or below the folder for temporary files, until the program ends. The least recently used are
// removed when there are too many bytes; those that a running program has open stay. Several processes may
// share the cache folder: a folder appears there when it is complete. Thread-safe.
#pragma once

#include "core/io/archive/archive_unpack.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct ArchiveFolderSettings {
  std::string folder; // of all of them; empty: unpack below the folder for temporary files
  std::uint64_t maxBytes = std::uint64_t{20} << 30;
};

struct ArchiveFolder {
  std::string path;
  std::string problem; // as in Unpacked; such a folder is not kept
  std::vector<LeftOutMember> leftOut;
};

// Unpacks the archive, unless that has been done. Limits are also those of the disk: a tenth of what is free
// stays free. Files of the folder are shown as those of the archive (core/io/files/shown_paths.h). cancel:
// may be null; besides that of the Progress.
[[nodiscard]] Result<ArchiveFolder>
archiveFolder(const std::string& archive, const ArchiveFolderSettings& settings,
              const std::function<bool(std::string_view fileName)>& wanted, Progress& progress,
              const std::atomic<bool>* cancel = nullptr);

} // namespace rankscope
