// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_folder.h"

#include "core/base/atomic_file.h"
#include "core/base/unit_text.h"
#include "core/io/files/kept_folders.h"
#include "core/io/files/temporary_folders.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <utility>

#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJournal = ".fetched";
constexpr std::uint64_t kShareOfFreeSpace = 10;

Error ioError(std::string what, const fs::path& path, const std::error_code& why) {
  return {ErrorKind::Io, std::move(what) + ": " + why.message(), path.string(), std::nullopt};
}

std::string folderName(const RemoteName& remote) {
  return fmt::format("{:016x}", XXH3_64bits(remote.remote.data(), remote.remote.size()));
}

// The title as the name of a folder, from which the job gets its name.
std::string fileNameOf(const std::string& title) {
  std::string name;
  for (const char c : title) name += static_cast<unsigned char>(c) < 0x20 || c == '/' ? '_' : c;
  if (name.empty() || name.starts_with('.')) name.insert(0, "remote");
  if (name.size() > 200) name.resize(200);
  return name;
}

// A line of the journal: bytes, time, path; what would break a line does not occur in names (nameProblem).
std::string journalLine(const std::string& path, std::uint64_t bytes, const std::string& modified) {
  return fmt::format("{}\t{}\t{}\n", bytes, modified, path);
}

} // namespace

Result<RemoteFolder> RemoteFolder::open(const RemoteName& remote, const RemoteFolderSettings& settings) {
  RemoteFolder folder;
  std::error_code failed;
  if (settings.folder.empty()) {
    auto temporary = newTemporaryFolder("rankscope-remote");
    if (!temporary) return temporary.error();
    folder.m_all = *temporary;
  } else {
    folder.m_all = settings.folder;
  }
  const fs::path root = fs::path(folder.m_all) / folderName(remote);
  folder.m_root = root.string();
  folder.m_files = (root / fileNameOf(remote.title)).string();
  folder.m_maxBytes = settings.maxBytes;
  if (fs::is_directory(root, failed)) {
    keepOpen(folder.m_root);
    folder.readJournal();
  }
  return folder;
}

std::optional<Error> RemoteFolder::create() const {
  std::error_code failed;
  fs::create_directories(m_files, failed);
  if (failed) return ioError("cannot be created", m_files, failed);
  fs::permissions(m_root, fs::perms::owner_all, failed);
  keepOpen(m_root);
  return std::nullopt;
}

void RemoteFolder::readJournal() {
  std::ifstream file(fs::path(m_root) / kJournal);
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) return; // broke off
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
    if (second == std::string::npos) continue;
    std::uint64_t bytes = 0;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + first, bytes);
    if (problem != std::errc() || end != line.data() + first) continue;
    m_here[line.substr(second + 1)] = {bytes, line.substr(first + 1, second - first - 1)};
  }
}

void RemoteFolder::rewriteJournal() const {
  AtomicFile file((fs::path(m_root) / kJournal).string(), 0600);
  std::string text;
  for (const auto& [path, state] : m_here) text += journalLine(path, state.bytes, state.modified);
  file.append(std::as_bytes(std::span(text)));
  static_cast<void>(file.commit());
}

bool RemoteFolder::has(const RemoteFile& file) const {
  const auto here = m_here.find(file.path);
  if (here == m_here.end() || here->second != State{file.bytes, file.modified}) return false;
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(pathOf(file.path), failed);
  return !failed && bytes == file.bytes;
}

void RemoteFolder::removeOthers(std::span<const RemoteFile> listed) {
  std::map<std::string_view, const RemoteFile*> wanted;
  for (const RemoteFile& file : listed) wanted.emplace(file.path, &file);
  const std::size_t before = m_here.size();
  for (auto at = m_here.begin(); at != m_here.end();) {
    const auto found = wanted.find(at->first);
    if (found != wanted.end() && at->second == State{found->second->bytes, found->second->modified}) {
      ++at;
      continue;
    }
    std::error_code failed;
    if (nameProblem(at->first).empty()) fs::remove(pathOf(at->first), failed);
    at = m_here.erase(at);
  }
  if (m_here.size() != before) rewriteJournal();
}

std::optional<Error> RemoteFolder::makeRoom(std::uint64_t bytes) const {
  std::error_code failed;
  fs::create_directories(m_all, failed);
  const fs::space_info space = fs::space(m_all, failed);
  if (failed) return std::nullopt; // fetching tells
  const std::uint64_t kept = bytesBelow(m_all);
  const std::uint64_t most = std::min(m_maxBytes, (kept + space.available) / kShareOfFreeSpace);
  const std::uint64_t available = space.available + removeLeastUsed(m_all, most - std::min(most, bytes));
  if (bytes <= available) return std::nullopt;
  return Error{ErrorKind::Io,
               fmt::format("the disk has {} free, and {} are to be fetched: choose fewer ranks, or set "
                           "RANKSCOPE_CACHE_DIR to a folder on another disk",
                           bytesText(static_cast<std::int64_t>(available)),
                           bytesText(static_cast<std::int64_t>(bytes))),
               m_all, std::nullopt};
}

Result<std::string> RemoteFolder::newStaging() {
  dropStaging();
  if (auto problem = create()) return std::move(*problem);
  auto staging = newStagingFolder(m_root);
  if (staging) m_staging = *staging;
  return staging;
}

void RemoteFolder::dropStaging() {
  if (m_staging.empty()) return;
  dropStagingFolder(std::exchange(m_staging, {}));
  if (m_here.empty()) removeOpened(m_root);
}

std::optional<Error> RemoteFolder::take(const RemoteFile& file) {
  const fs::path from = fs::path(m_staging) / file.path;
  const fs::path to = pathOf(file.path);
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(from, failed);
  if (failed) return ioError("was not fetched", to, failed);
  // An object may have grown since it was listed; it is whole all the same, and fetched again next time.
  fs::create_directories(to.parent_path(), failed);
  if (!failed) fs::rename(from, to, failed);
  if (failed) return ioError("cannot be written", to, failed);
  m_here[file.path] = {bytes, file.modified};
  std::ofstream journal(fs::path(m_root) / kJournal, std::ios::app);
  journal << journalLine(file.path, bytes, file.modified) << std::flush;
  return std::nullopt;
}

} // namespace rankscope
