// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/archive/archive_folders.h"

#include "core/base/hash.h"
#include "core/io/files/temporary_folders.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeingWritten = ".part";

// What tells one state of an archive from another.
std::string keyOf(const fs::path& archive) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(archive, failed);
  const std::string name = (failed ? archive : whole).string();
  const std::uint64_t bytes = fs::file_size(archive, failed);
  const auto time = fs::last_write_time(archive, failed).time_since_epoch().count();
  return fmt::format("{:016x}",
                     hashOf(XXH3_64bits(name.data(), name.size()), bytes, static_cast<std::uint64_t>(time)));
}

// A new folder that only its user may read.
Result<fs::path> newFolder(const fs::path& below, const std::string& name) {
  static std::atomic<unsigned> next{0};
  std::error_code failed;
  fs::create_directories(below, failed);
  const fs::path folder = below / fmt::format("{}.{}.{}{}", name, ::getpid(), next++, kBeingWritten);
  fs::remove_all(folder, failed);
  fs::create_directory(folder, failed);
  if (failed)
    return Error{ErrorKind::Io, "cannot be created: " + failed.message(), folder.string(), std::nullopt};
  fs::permissions(folder, fs::perms::owner_all, failed);
  return folder;
}

std::uint64_t bytesOf(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, failed); !failed && at != fs::end(at);
       at.increment(failed)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) bytes += at->file_size(ignored);
  }
  return bytes;
}

// Removes the least recently used folders but `kept` until all fit.
void evict(const fs::path& root, const fs::path& kept, std::uint64_t maxBytes) {
  struct Folder {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
  };
  std::vector<Folder> folders;
  std::uint64_t all = 0;
  std::error_code failed;
  for (auto at = fs::directory_iterator(root, failed); !failed && at != fs::end(at); at.increment(failed)) {
    std::error_code gone;
    folders.push_back({at->path(), at->last_write_time(gone), bytesOf(at->path())});
    all += folders.back().bytes;
  }
  std::ranges::sort(folders, {}, &Folder::used);
  for (const Folder& folder : folders) {
    if (all <= maxBytes) return;
    if (folder.path == kept || folder.path.extension() == kBeingWritten) continue;
    std::error_code ignored;
    fs::remove_all(folder.path, ignored);
    all -= folder.bytes;
  }
}

UnpackLimits limitsOn(const fs::path& folder) {
  UnpackLimits limits;
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  if (!failed) limits.bytes = space.available / 10 * 9;
  return limits;
}

} // namespace

Result<ArchiveFolder> archiveFolder(const std::string& archive, const ArchiveFolderSettings& settings,
                                    const std::function<bool(std::string_view fileName)>& wanted,
                                    Progress& progress) {
  std::error_code failed;
  const bool kept = !settings.folder.empty();
  const fs::path root =
      kept ? fs::path(settings.folder) : fs::temp_directory_path(failed) / "rankscope-archives";
  const std::string key = keyOf(archive);
  const fs::path complete = root / key;
  if (kept && fs::is_directory(complete, failed)) {
    fs::last_write_time(complete, fs::file_time_type::clock::now(), failed);
    return ArchiveFolder{complete.string(), {}};
  }
  auto folder = newFolder(root, key);
  if (!folder) return folder.error();
  auto unpacked = unpackArchive(archive, folder->string(), wanted, progress, limitsOn(*folder));
  if (!unpacked) {
    fs::remove_all(*folder, failed);
    return unpacked.error();
  }
  if (!kept || !unpacked->problem.empty()) {
    removeAtTheEnd(folder->string());
    return ArchiveFolder{folder->string(), std::move(unpacked->problem)};
  }
  fs::rename(*folder, complete, failed);
  if (failed) fs::remove_all(*folder, failed); // another process was faster
  evict(root, complete, settings.maxBytes);
  return ArchiveFolder{complete.string(), {}};
}

} // namespace rankscope
