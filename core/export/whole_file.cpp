// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/whole_file.h"

#include "core/base/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>
#include <unistd.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::optional<Error> failure(const std::string& path, int error) {
  return Error{ErrorKind::Io, "cannot write: " + std::generic_category().message(error), path, std::nullopt};
}

// Writes to a device or a pipe. Returns 0, or the errno of the failure.
int writeInto(const std::string& path, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  int error = 0;
  if (std::fwrite(content.data(), 1, content.size(), file) != content.size()) error = errno;
  if (error == 0 && std::fflush(file) != 0) error = errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  return error;
}

// Returns 0, or the errno of the failure. On return the data is on disk.
int replaceFile(const std::string& path, std::string_view content, const fs::file_status& old) {
  AtomicFile file(path, 0666);
  file.append(std::as_bytes(std::span(content)));
  if (fs::exists(old)) file.setPermissions(static_cast<mode_t>(old.permissions()) & 07777U);
  file.sync();
  return file.commit() ? 0 : file.error();
}

} // namespace

std::optional<Error> writeWholeFile(const std::string& path, std::string_view content) {
  std::error_code ignored;
  const fs::file_status old = fs::status(path, ignored);
  int error = 0;
  if (fs::exists(old) && access(path.c_str(), W_OK) != 0) {
    error = errno;
  } else if (fs::exists(old) && !fs::is_regular_file(old) && !fs::is_directory(old)) {
    error = writeInto(path, content);
  } else {
    const fs::path file = fs::exists(old) ? fs::canonical(path, ignored) : fs::path(path);
    error = replaceFile(file.empty() ? path : file.string(), content, old);
  }
  if (error == 0) return std::nullopt;
  return failure(path, error);
}

} // namespace rankscope
