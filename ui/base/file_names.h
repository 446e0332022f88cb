// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a job's files in messages and tables: paths relative to their common folder, so that equal names
// in subfolders differ.
#pragma once

#include "core/io/files/shown_paths.h"
#include "core/model/trace_set.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::ui {

class FileNames {
 public:
  explicit FileNames(const TraceSet& traces) {
    bool first = true;
    for (const FileRecord& file : traces.files()) {
      const std::string path = shownPath(file.path);
      const std::string_view folder = std::string_view(path).substr(0, path.rfind('/') + 1);
      if (std::exchange(first, false)) m_folder = folder;
      const auto [mine, its] = std::ranges::mismatch(m_folder, folder);
      m_folder.erase(mine, m_folder.end());
      m_folder.erase(m_folder.rfind('/') + 1);
    }
  }

  [[nodiscard]] std::string of(const std::string& path) const {
    return shownPath(path).substr(m_folder.size());
  }
  // With a slash at its end; empty when the files have no folder in common.
  [[nodiscard]] const std::string& folder() const { return m_folder; }

 private:
  std::string m_folder;
};

} // namespace rankscope::ui
