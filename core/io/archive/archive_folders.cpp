// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/archive/archive_folders.h"

#include "core/base/hash.h"
#include "core/io/files/kept_folders.h"
#include "core/io/files/shown_paths.h"
#include "core/io/files/temporary_folders.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Of a folder of the cache: its members, and what was left out of them.
constexpr const char* kMembers = "files";
constexpr const char* kLeftOut = "left_out";
constexpr std::uint64_t kVersion = 2; // of this

// What tells one state of an archive from another.
std::string keyOf(const fs::path& archive) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(archive, failed);
  const std::string name = (failed ? archive : whole).string();
  const std::uint64_t bytes = fs::file_size(archive, failed);
  const auto time = fs::last_write_time(archive, failed).time_since_epoch().count();
  return fmt::format("{:016x}", hashOf(XXH3_64bits(name.data(), name.size()), bytes,
                                       static_cast<std::uint64_t>(time), kVersion));
}

// One folder for all archives of this program.
Result<std::string> temporaryRoot() {
  static std::mutex mutex;
  static std::string root;
  const std::lock_guard lock(mutex);
  if (!root.empty()) return root;
  auto made = newTemporaryFolder("rankscope-archives");
  if (made) root = *made;
  return made;
}

// Looks through all folders now and then, not for each of thousands of small archives.
void keepWithin(const ArchiveFolderSettings& settings, std::uint64_t added) {
  constexpr std::uint64_t kShareUnseen = 16;
  static std::mutex mutex;
  static std::map<std::string, std::uint64_t> addedSince;
  {
    const std::lock_guard lock(mutex);
    const auto [since, first] = addedSince.try_emplace(settings.folder, 0);
    since->second += added;
    if (!first && since->second <= settings.maxBytes / kShareUnseen) return;
    since->second = 0;
  }
  removeLeastUsed(settings.folder, settings.maxBytes);
}

UnpackLimits limitsOn(const fs::path& folder) {
  UnpackLimits limits;
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  if (!failed) limits.bytes = space.available / 10 * 9;
  return limits;
}

// A line for each: name, tab, reason.
void writeLeftOut(const fs::path& folder, std::vector<LeftOutMember> members) {
  const auto inOneLine = [](std::string& text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20; }, '?');
  };
  std::ofstream file(folder / kLeftOut, std::ios::binary);
  for (LeftOutMember& member : members) {
    inOneLine(member.name);
    inOneLine(member.reason);
    file << member.name << '\t' << member.reason << '\n';
  }
}

std::vector<LeftOutMember> readLeftOut(const fs::path& folder) {
  std::vector<LeftOutMember> members;
  std::ifstream file(folder / kLeftOut, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) members.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return members;
}

std::vector<LeftOutMember> leftOutOf(Unpacked& unpacked) {
  std::vector<LeftOutMember> members = std::move(unpacked.leftOut);
  if (unpacked.leftOutMore > 0)
    members.push_back({fmt::format("{} more", unpacked.leftOutMore), "left out for reasons like these"});
  return members;
}

ArchiveFolder shown(const std::string& archive, const fs::path& folder, std::vector<LeftOutMember> leftOut,
                    std::string problem = {}) {
  ArchiveFolder made{(folder / kMembers).string(), std::move(problem), std::move(leftOut)};
  showPathAs(made.path, archive);
  return made;
}

} // namespace

Result<ArchiveFolder> archiveFolder(const std::string& archive, const ArchiveFolderSettings& settings,
                                    const std::function<bool(std::string_view fileName)>& wanted,
                                    Progress& progress, const std::atomic<bool>* cancel) {
  std::error_code failed;
  const bool kept = !settings.folder.empty();
  const auto root = kept ? Result<std::string>(settings.folder) : temporaryRoot();
  if (!root) return root.error();
  const fs::path complete = fs::path(*root) / keyOf(archive);
  if (kept && fs::is_directory(complete / kMembers, failed)) {
    keepOpen(complete.string());
    return shown(archive, complete, readLeftOut(complete));
  }
  const auto folder = newStagingFolder(*root);
  if (!folder) return folder.error();
  const fs::path staging = *folder;
  fs::create_directory(staging / kMembers, failed);
  UnpackLimits limits = limitsOn(staging);
  limits.cancel = cancel;
  auto unpacked = unpackArchive(archive, (staging / kMembers).string(), wanted, progress, limits);
  if (!unpacked) {
    dropStagingFolder(*folder);
    return unpacked.error();
  }
  std::vector<LeftOutMember> leftOut = leftOutOf(*unpacked);
  if (!kept || !unpacked->problem.empty()) {
    removeAtTheEnd(*folder);
    return shown(archive, staging, std::move(leftOut), std::move(unpacked->problem));
  }
  writeLeftOut(staging, leftOut);
  keepOpen(*folder);
  fs::rename(staging, complete, failed);
  if (failed && !fs::is_directory(complete / kMembers, failed)) { // something else has its name
    removeAtTheEnd(*folder);
    return shown(archive, staging, std::move(leftOut));
  }
  dropStagingFolder(*folder); // of which nothing is left, unless another process was faster
  keepOpen(complete.string());
  keepWithin(settings, unpacked->bytes);
  return shown(archive, complete, std::move(leftOut));
}

} // namespace rankscope
