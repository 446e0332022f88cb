// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is written completely or not at all: as a temporary file beside its path
// (PATH.PROCESS-NUMBER.part), renamed over the path by commit(). Without a commit the destructor removes the
// temporary file, also when an exception ends the writing. The first error stays, and nothing is written
// after it. One thread; nothing allocates after the constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

namespace rankscope {

class AtomicFile {
 public:
  // permissions: as for open(2), so the process' umask applies. The folder must exist.
  AtomicFile(std::string path, mode_t permissions);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] bool good() const { return m_error == 0; }
  // 0, or the errno of what failed first.
  [[nodiscard]] int error() const { return m_error; }

  void append(std::span<const std::byte> bytes);
  // Overwrites what was appended.
  void writeAt(std::uint64_t at, std::span<const std::byte> bytes);
  // Ignored by file systems without permissions.
  void setPermissions(mode_t permissions);
  // Returns when the data is on the disk.
  void sync();
  // Closes the file and renames it. False after any error: then the old file is unchanged.
  [[nodiscard]] bool commit();

 private:
  void noteErrno();
  void remove();

  std::string m_path;
  std::string m_temporary;
  int m_file = -1;
  int m_error = 0;
};

} // namespace rankscope
