// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/folder_entries.h"

#include "core/base/natural_order.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>

namespace rankscope {

std::vector<std::string> folderEntries(const std::string& folder, std::error_code& failed) {
  std::vector<std::string> names;
  const auto closes = [](DIR* open) { closedir(open); };
  const std::unique_ptr<DIR, decltype(closes)> open(opendir(folder.c_str()));
  failed = open ? std::error_code() : std::error_code(errno, std::generic_category());
  while (!failed) {
    errno = 0; // readdir returns null for the end and for errors; only errno distinguishes them
    const dirent* const entry = readdir(open.get());
    if (entry == nullptr) {
      failed = std::error_code(errno, std::generic_category());
      break;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names, [](const std::string& a, const std::string& b) { return naturalLess(a, b); });
  return names;
}

} // namespace rankscope
