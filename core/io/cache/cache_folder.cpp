// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/cache_folder.h"

#include "core/io/files/folder_entries.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <vector>

#include <unistd.h>

namespace rankscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".trace";
constexpr std::string_view kTemporaryEnding = ".part";
// A temporary file is written continuously; one that has not grown for this long is abandoned.
constexpr std::chrono::hours kMaxTemporaryAge{1};
constexpr std::uint64_t kShareOfFreeSpace = 10;

struct CachedFile {
  fs::file_time_type used;
  fs::path path;
  std::uint64_t bytes = 0;
};

// All files except temporary files in use, sorted by last use. Removes abandoned temporary files.
std::vector<CachedFile> cachedFiles(const std::string& folder) {
  std::vector<CachedFile> files;
  std::error_code failed;
  for (const std::string& name : folderEntries(folder, failed)) {
    const fs::path path = fs::path(folder) / name;
    const bool temporary = name.ends_with(kTemporaryEnding) && name.find(kEnding) != std::string::npos;
    if (!temporary && !name.ends_with(kEnding)) continue;
    std::error_code gone;
    const fs::file_time_type used = fs::last_write_time(path, gone);
    if (gone) continue;
    if (!temporary) {
      const std::uintmax_t bytes = fs::file_size(path, gone);
      if (!gone) files.push_back({used, path, bytes});
    } else if (fs::file_time_type::clock::now() - used > kMaxTemporaryAge) {
      fs::remove(path, gone);
    }
  }
  std::ranges::sort(files, {}, [](const CachedFile& file) { return std::tie(file.used, file.path); });
  return files;
}

} // namespace

std::string cacheFilePath(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / (name + std::string(kEnding))).string();
}

bool makeCacheFolder(const std::string& folder) {
  std::error_code failed;
  if (fs::create_directories(folder, failed)) fs::permissions(folder, fs::perms::owner_all, failed);
  return fs::is_directory(folder, failed);
}

std::optional<std::string> cacheFolderProblem(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return failed.message();
  if (access(folder.c_str(), W_OK | X_OK) != 0) return std::generic_category().message(errno);
  return std::nullopt;
}

void markUsed(const std::string& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

bool evictUntilFits(const std::string& folder, const std::string& path, std::uint64_t bytes,
                    std::uint64_t maxBytes) {
  std::vector<CachedFile> files = cachedFiles(folder);
  std::erase_if(files, [&](const CachedFile& file) { return file.path == path; });
  std::uint64_t kept = 0;
  for (const CachedFile& file : files) kept += file.bytes;
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  if (failed) return false;
  const std::uint64_t maximum = std::min(maxBytes, (kept + space.available) / kShareOfFreeSpace);
  if (bytes > maximum) return false;
  for (const CachedFile& file : files) {
    if (kept + bytes <= maximum) break;
    fs::remove(file.path, failed);
    if (!failed) kept -= file.bytes;
  }
  return kept + bytes <= maximum;
}

} // namespace rankscope
