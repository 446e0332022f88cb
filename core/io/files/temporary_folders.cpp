// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/temporary_folders.h"

#include "core/base/caught.h"
#include "core/base/ending_signals.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

class TemporaryFolders {
 public:
  ~TemporaryFolders() { removeAll(); }
  void removeAll() {
    const std::lock_guard lock(m_mutex);
    std::error_code ignored;
    for (const std::string& folder : m_folders) fs::remove_all(folder, ignored);
  }
  void add(std::string folder) {
    const std::lock_guard lock(m_mutex);
    m_folders.push_back(std::move(folder));
  }

 private:
  std::mutex m_mutex;
  std::vector<std::string> m_folders;
};

TemporaryFolders& temporaryFolders() {
  static TemporaryFolders folders;
  return folders;
}

void removeNow() noexcept {
  static_cast<void>(attempt([] { temporaryFolders().removeAll(); }));
}

} // namespace

void removeAtTheEnd(std::string folder) {
  temporaryFolders().add(std::move(folder));
  static const bool once = (onEndingSignal(&removeNow), true);
  static_cast<void>(once);
}

Result<std::string> newTemporaryFolder(std::string_view name) {
  std::error_code failed;
  // mkdtemp() replaces the X: the name cannot be guessed, and only this user may read the folder.
  std::string folder = (fs::temp_directory_path(failed) / fmt::format("{}.XXXXXX", name)).string();
  if (::mkdtemp(folder.data()) == nullptr)
    return Error{ErrorKind::Io, "cannot be created: " + std::generic_category().message(errno), folder,
                 std::nullopt};
  removeAtTheEnd(folder);
  return folder;
}

} // namespace rankscope
