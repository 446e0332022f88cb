// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::optional<Error> failure(const std::string& path, int error) {
  return Error{ErrorKind::Io, "cannot write: " + std::generic_category().message(error), path, std::nullopt};
}

// 0, or the errno of what failed. The data is on the disk when this returns, where there is one.
int writeAll(const std::string& path, const char* mode, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return errno;
  int error = 0;
  if (std::fwrite(content.data(), 1, content.size(), file) != content.size()) error = errno;
  if (error == 0 && std::fflush(file) != 0) error = errno;
  // Devices and pipes have nothing to wait for.
  if (error == 0 && fsync(fileno(file)) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  return error;
}

// Writes a temporary file beside the file and renames it; 0, or the errno of what failed.
int replaceFile(const std::string& path, std::string_view content, const fs::file_status& old) {
  const std::string temporary = path + ".part" + std::to_string(getpid());
  std::error_code ignored;
  fs::remove(temporary, ignored);
  if (const int error = writeAll(temporary, "wbx", content); error != 0) {
    fs::remove(temporary, ignored);
    return error;
  }
  if (fs::exists(old)) fs::permissions(temporary, old.permissions(), ignored);
  std::error_code renamed;
  fs::rename(temporary, path, renamed);
  if (renamed) fs::remove(temporary, ignored);
  return renamed.value();
}

} // namespace

std::optional<Error> writeWholeFile(const std::string& path, std::string_view content) {
  std::error_code ignored;
  const fs::file_status old = fs::status(path, ignored);
  int error = 0;
  if (fs::exists(old) && access(path.c_str(), W_OK) != 0) {
    error = errno;
  } else if (fs::exists(old) && !fs::is_regular_file(old) && !fs::is_directory(old)) {
    error = writeAll(path, "wb", content);
  } else {
    const fs::path file = fs::exists(old) ? fs::canonical(path, ignored) : fs::path(path);
    error = replaceFile(file.empty() ? path : file.string(), content, old);
  }
  if (error == 0) return std::nullopt;
  return failure(path, error);
}

} // namespace rankscope
