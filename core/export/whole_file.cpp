// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace rankscope {

namespace {

Error failure(const std::string& path, int error) {
  return {ErrorKind::Io, "cannot write: " + std::generic_category().message(error), path, std::nullopt};
}

// 0, or the errno of what failed. The data is on the disk before the rename can be.
int writeAll(const std::string& path, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return errno;
  int error = 0;
  if (std::fwrite(content.data(), 1, content.size(), file) != content.size()) error = errno;
  if (error == 0 && (std::fflush(file) != 0 || fsync(fileno(file)) != 0)) error = errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  return error;
}

} // namespace

std::optional<Error> writeWholeFile(const std::string& path, std::string_view content) {
  const std::string draft = path + ".part" + std::to_string(getpid());
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);
  if (const int error = writeAll(draft, content); error != 0) {
    std::filesystem::remove(draft, ignored);
    return failure(path, error);
  }
  std::error_code renamed;
  std::filesystem::rename(draft, path, renamed);
  if (!renamed) return std::nullopt;
  std::filesystem::remove(draft, ignored);
  return failure(path, renamed.value());
}

} // namespace rankscope
