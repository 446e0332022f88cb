// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rankscope {

namespace {

std::string temporaryName(const std::string& path) {
  static std::atomic<unsigned> number{0};
  return path + '.' + std::to_string(getpid()) + '-' + std::to_string(number++) + ".part";
}

} // namespace

AtomicFile::AtomicFile(std::string path, mode_t permissions) : m_path(std::move(path)) {
  // A killed process with the same id may have left a temporary file of this name.
  do {
    m_temporary = temporaryName(m_path);
    m_file = ::open(m_temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions);
  } while (m_file < 0 && errno == EEXIST);
  if (m_file < 0) noteErrno();
}

AtomicFile::~AtomicFile() {
  if (m_file < 0) return;
  ::close(m_file);
  remove();
}

void AtomicFile::noteErrno() {
  if (m_error == 0) m_error = errno;
}

void AtomicFile::remove() {
  static_cast<void>(::unlink(m_temporary.c_str()));
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  while (good() && !bytes.empty()) {
    const ssize_t written = ::write(m_file, bytes.data(), bytes.size());
    if (written > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    else if (written == 0)
      m_error = EIO;
    else if (errno != EINTR)
      noteErrno();
  }
}

void AtomicFile::writeAt(std::uint64_t at, std::span<const std::byte> bytes) {
  while (good() && !bytes.empty()) {
    const ssize_t written = ::pwrite(m_file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      at += static_cast<std::uint64_t>(written);
    } else if (written == 0) {
      m_error = EIO;
    } else if (errno != EINTR) {
      noteErrno();
    }
  }
}

void AtomicFile::setPermissions(mode_t permissions) {
  if (good()) static_cast<void>(::fchmod(m_file, permissions));
}

void AtomicFile::sync() {
  // Some file systems do not support fsync.
  if (good() && ::fsync(m_file) != 0 && errno != EINVAL && errno != ENOTSUP) noteErrno();
}

bool AtomicFile::commit() {
  if (m_file < 0) return false;
  if (::close(std::exchange(m_file, -1)) != 0) noteErrno();
  if (good() && std::rename(m_temporary.c_str(), m_path.c_str()) != 0) noteErrno();
  if (!good()) remove();
  return good();
}

} // namespace rankscope
