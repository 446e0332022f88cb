// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/kept_folders.h"

#include "core/base/caught.h"
#include "core/base/ending_signals.h"
#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
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

constexpr std::string_view kLock = ".open";
constexpr std::string_view kStaging = ".part";
// What cannot be asked after, on another machine, has ended after such a time.
constexpr std::chrono::hours kLongestStaging{7 * 24};

// Folders that this program has open. The lock is seen by other processes.
class OpenFolders {
 public:
  ~OpenFolders() {
    for (const auto& [folder, file] : m_locks) ::close(file);
  }
  void add(const std::string& folder) {
    const std::lock_guard lock(m_mutex);
    if (m_locks.contains(folder)) return;
    const int file = ::open((fs::path(folder) / kLock).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return;
    ::flock(file, LOCK_SH | LOCK_NB);
    m_locks.emplace(folder, file);
  }
  [[nodiscard]] bool has(const std::string& folder) {
    const std::lock_guard lock(m_mutex);
    return m_locks.contains(folder);
  }
  void close(const std::string& folder) {
    const std::lock_guard guard(m_mutex);
    const auto lock = m_locks.find(folder);
    if (lock == m_locks.end()) return;
    ::close(lock->second);
    m_locks.erase(lock);
  }

 private:
  std::mutex m_mutex;
  std::map<std::string, int> m_locks;
};

OpenFolders& openFolders() {
  static OpenFolders folders;
  return folders;
}

bool isOpenElsewhere(const fs::path& folder) {
  const int file = ::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return !free;
}

// Of this process: another one may have had its number before.
class OwnStaging {
 public:
  std::string add(const fs::path& below) {
    const std::lock_guard lock(m_mutex);
    return *m_folders.insert((below / stagingName({}, ::getpid(), m_next++)).string()).first;
  }
  void remove(const std::string& folder) {
    const std::lock_guard lock(m_mutex);
    m_folders.erase(folder);
  }
  [[nodiscard]] std::set<std::string> all() {
    const std::lock_guard lock(m_mutex);
    return m_folders;
  }
  // Whether it is the first question for this folder.
  [[nodiscard]] bool isFirstIn(const std::string& below) {
    const std::lock_guard lock(m_mutex);
    return m_asked.insert(below).second;
  }
  [[nodiscard]] bool has(const std::string& folder) {
    const std::lock_guard lock(m_mutex);
    return m_folders.contains(folder);
  }

 private:
  std::mutex m_mutex;
  std::set<std::string> m_folders;
  std::set<std::string> m_asked;
  unsigned m_next = 0;
};

OwnStaging& ownStaging() {
  static OwnStaging folders;
  return folders;
}

std::string hostKey(std::string_view host) {
  return fmt::format("{:08x}", static_cast<std::uint32_t>(XXH3_64bits(host.data(), host.size())));
}

std::string thisHost() {
  std::array<char, 256> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1));
  return hostKey(name.data());
}

bool isStagingName(std::string_view name) {
  return name.starts_with(kStaging) || name.ends_with(kStaging);
}

// Of ".part.HOST.PROCESS-NUMBER" on this machine: the process.
std::optional<pid_t> processHere(std::string_view name) {
  const std::string own = fmt::format("{}.{}.", kStaging, thisHost());
  if (!name.starts_with(own)) return std::nullopt;
  name.remove_prefix(own.size());
  pid_t process = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (problem != std::errc() || process <= 0) return std::nullopt;
  return process;
}

bool isAbandoned(const fs::path& folder) {
  if (const auto process = processHere(folder.filename().string())) {
    if (*process == ::getpid()) return !ownStaging().has(folder.string());
    return ::kill(*process, 0) != 0 && errno == ESRCH;
  }
  std::error_code gone;
  const fs::file_time_type written = fs::last_write_time(folder, gone);
  return !gone && fs::file_time_type::clock::now() - written > kLongestStaging;
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (auto at = fs::directory_iterator(folder, failed); !failed && at != fs::end(at); at.increment(failed)) {
    std::error_code gone;
    if (at->is_directory(gone) && !at->is_symlink(gone)) folders.push_back(at->path());
  }
  return folders;
}

// Returns the bytes removed.
std::uint64_t removeAbandoned(const fs::path& in) {
  std::uint64_t bytes = 0;
  for (const fs::path& folder : foldersIn(in)) {
    if (!isStagingName(folder.filename().string()) || !isAbandoned(folder)) continue;
    const std::uint64_t own = bytesBelow(folder.string());
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (!failed) bytes += own;
  }
  return bytes;
}

} // namespace

void keepOpen(const std::string& folder) {
  openFolders().add(folder);
  std::error_code ignored;
  fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
}

void removeOpened(const std::string& folder) {
  openFolders().close(folder);
  std::error_code ignored;
  if (!isOpenElsewhere(folder)) fs::remove_all(folder, ignored);
}

std::string stagingName(std::string_view host, int process, unsigned number) {
  return fmt::format("{}.{}.{}-{}", kStaging, host.empty() ? thisHost() : hostKey(host), process, number);
}

Result<std::string> newStagingFolder(const std::string& below) {
  static const bool once = (onEndingSignal(&dropAllStagingFolders), true);
  static_cast<void>(once);
  std::error_code failed;
  fs::create_directories(below, failed);
  if (ownStaging().isFirstIn(below)) removeAbandoned(below);
  std::string folder = ownStaging().add(below);
  failed.clear();
  if (!fs::create_directory(folder, failed) && !failed) failed = std::make_error_code(std::errc::file_exists);
  if (failed) {
    ownStaging().remove(folder);
    return Error{ErrorKind::Io, "cannot be written: " + failed.message(), below, std::nullopt};
  }
  fs::permissions(folder, fs::perms::owner_all, failed);
  return folder;
}

void dropStagingFolder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  ownStaging().remove(folder);
}

void dropAllStagingFolders() noexcept {
  static_cast<void>(attempt([] {
    for (const std::string& folder : ownStaging().all()) dropStagingFolder(folder);
  }));
}

std::uint64_t bytesBelow(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, failed); !failed && at != fs::end(at);
       at.increment(failed)) {
    std::error_code gone;
    const std::uintmax_t size = at->is_regular_file(gone) && !at->is_symlink(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

std::uint64_t removeLeastUsed(const std::string& all, std::uint64_t mostLeft) {
  struct Folder {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
  };
  std::uint64_t removed = removeAbandoned(all);
  std::vector<Folder> folders;
  for (const fs::path& path : foldersIn(all)) {
    std::error_code gone;
    const fs::file_time_type used = fs::last_write_time(path, gone);
    removed += removeAbandoned(path); // which is no use of it
    fs::last_write_time(path, used, gone);
    folders.push_back({path, used, bytesBelow(path.string())});
  }
  std::ranges::sort(folders, {}, &Folder::used);
  std::uint64_t left = 0;
  for (const Folder& folder : folders) left += folder.bytes;
  for (const Folder& folder : folders) {
    if (left <= mostLeft) break;
    if (isStagingName(folder.path.filename().string()) || openFolders().has(folder.path.string()) ||
        isOpenElsewhere(folder.path))
      continue;
    std::error_code failed;
    fs::remove_all(folder.path, failed);
    if (failed) continue;
    left -= folder.bytes;
    removed += folder.bytes;
  }
  return removed;
}

} // namespace rankscope
