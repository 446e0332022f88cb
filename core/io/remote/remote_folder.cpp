// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_folder.h"

#include "core/base/atomic_file.h"
#include "core/base/unit_text.h"
#include "core/io/files/temporary_folders.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJournal = ".fetched";
constexpr std::string_view kLock = ".open";
constexpr std::string_view kStaging = ".part";
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

// Folders that this program has open. The lock is seen by other processes.
class OpenFolders {
 public:
  ~OpenFolders() {
    for (const auto& [root, file] : m_locks) ::close(file);
  }
  void add(const std::string& root) {
    const std::lock_guard lock(m_mutex);
    if (m_locks.contains(root)) return;
    const int file = ::open((fs::path(root) / kLock).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return;
    ::flock(file, LOCK_SH | LOCK_NB);
    m_locks.emplace(root, file);
  }
  [[nodiscard]] bool has(const std::string& root) {
    const std::lock_guard lock(m_mutex);
    return m_locks.contains(root);
  }

 private:
  std::mutex m_mutex;
  std::map<std::string, int> m_locks;
};

OpenFolders& openFolders() {
  static OpenFolders folders;
  return folders;
}

bool isOpenElsewhere(const fs::path& root) {
  const int file = ::open((root / kLock).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return !free;
}

std::uint64_t bytesBelow(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, failed); !failed && at != fs::end(at);
       at.increment(failed)) {
    std::error_code gone;
    const std::uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
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
  fs::create_directories(folder.m_files, failed);
  if (failed) return ioError("cannot be created", folder.m_files, failed);
  fs::permissions(root, fs::perms::owner_all, failed);
  openFolders().add(folder.m_root);
  folder.readJournal();
  fs::last_write_time(root, fs::file_time_type::clock::now(), failed);
  return folder;
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
  struct Other {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
  };
  std::error_code failed;
  std::vector<Other> others;
  std::uint64_t kept = 0;
  for (auto at = fs::directory_iterator(m_all, failed); !failed && at != fs::end(at); at.increment(failed)) {
    std::error_code gone;
    const Other other{at->path(), at->last_write_time(gone), bytesBelow(at->path())};
    others.push_back(other);
    kept += other.bytes;
  }
  std::ranges::sort(others, {}, &Other::used);
  const fs::space_info space = fs::space(m_root, failed);
  if (failed) return std::nullopt; // fetching tells
  std::uint64_t available = space.available;
  const std::uint64_t most = std::min(m_maxBytes, (kept + available) / kShareOfFreeSpace);
  for (const Other& other : others) {
    if (kept + bytes <= most) break;
    if (other.path == m_root || openFolders().has(other.path.string()) || isOpenElsewhere(other.path))
      continue;
    fs::remove_all(other.path, failed);
    if (failed) continue;
    kept -= std::min(kept, other.bytes);
    available += other.bytes;
  }
  if (bytes <= available) return std::nullopt;
  return Error{ErrorKind::Io,
               fmt::format("the disk has {} free, and {} are to be fetched: choose fewer ranks, or set "
                           "RANKSCOPE_CACHE_DIR to a folder on another disk",
                           bytesText(static_cast<std::int64_t>(available)),
                           bytesText(static_cast<std::int64_t>(bytes))),
               m_all, std::nullopt};
}

Result<std::string> RemoteFolder::newStaging() {
  static std::atomic<unsigned> next{0};
  dropStaging();
  std::error_code failed;
  // What a program left that ended in the middle.
  for (auto at = fs::directory_iterator(m_root, failed); !failed && at != fs::end(at); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kStaging)) continue;
    const std::size_t dash = name.find('-');
    pid_t owner = 0;
    std::from_chars(name.data() + kStaging.size() + 1, name.data() + std::min(dash, name.size()), owner);
    std::error_code ignored;
    if (owner <= 0 || (::kill(owner, 0) != 0 && errno == ESRCH)) fs::remove_all(at->path(), ignored);
  }
  const fs::path staging = fs::path(m_root) / fmt::format("{}.{}-{}", kStaging, ::getpid(), next++);
  failed.clear();
  fs::create_directory(staging, failed);
  if (failed) return ioError("cannot be created", staging, failed);
  m_staging = staging.string();
  return m_staging;
}

void RemoteFolder::dropStaging() {
  if (m_staging.empty()) return;
  std::error_code ignored;
  fs::remove_all(m_staging, ignored);
  m_staging.clear();
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
